import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Goes through the life of transactions on {@code TOPIC} (two partitions), one line per fact. */
public final class TransactionDriver {
    private final String bootstrap;
    private final String topic;
    private final TopicPartition first;
    private final TopicPartition second;

    private TransactionDriver(String bootstrap, String topic) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.first = new TopicPartition(topic, 0);
        this.second = new TopicPartition(topic, 1);
    }

    public static void main(String[] args) throws Exception {
        new TransactionDriver(args[0], args[1]).run();
        System.exit(0);
    }

    private static void tell(String fact, Object value) {
        System.out.println(fact + ": " + value);
    }

    private KafkaProducer<String, String> producer() {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("transactional.id", topic + "-tx");
        p.put("transaction.timeout.ms", "60000");
        p.put("max.block.ms", "30000");
        return new KafkaProducer<>(p, new StringSerializer(), new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer() {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("group.id", topic + "-group");
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "earliest");
        p.put("isolation.level", "read_committed");
        return new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
    }

    private String committed(TopicPartition from) {
        StringBuilder found = new StringBuilder();
        try (KafkaConsumer<String, String> consumer = consumer()) {
            consumer.assign(List.of(from));
            consumer.seekToBeginning(List.of(from));
            long end = consumer.endOffsets(List.of(from)).get(from);
            long give = System.nanoTime() + 20_000_000_000L;
            while (consumer.position(from) < end && System.nanoTime() < give) {
                for (ConsumerRecord<String, String> r : consumer.poll(Duration.ofMillis(100))) {
                    found.append(r.value()).append(' ');
                }
            }
            return found + "to " + consumer.position(from) + " of " + end;
        }
    }

    private static String failure(Runnable act) {
        try {
            act.run();
            return "none";
        } catch (KafkaException error) {
            return error.getClass().getSimpleName();
        }
    }

    private void send(KafkaProducer<String, String> producer, String... values) {
        for (String value : values) {
            producer.send(new ProducerRecord<>(topic, value.charAt(0) < 'n' ? 0 : 1, null, value));
        }
        producer.flush();
    }

    private void run() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                KafkaProducer<String, String> old = producer()) {
            old.initTransactions();
            old.beginTransaction();
            send(old, "a", "z");
            old.commitTransaction();
            old.beginTransaction();
            send(old, "b", "y");
            old.abortTransaction();
            tell("first", committed(first));
            tell("second", committed(second));
            offsets(old);
            old.beginTransaction();
            send(old, "c");
            look(admin);
            fence(old, admin);
        }
    }

    private void offsets(KafkaProducer<String, String> producer) throws Exception {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            consumer.subscribe(List.of(topic));
            long give = System.nanoTime() + 30_000_000_000L;
            while (consumer.assignment().isEmpty() && System.nanoTime() < give) {
                consumer.poll(Duration.ofMillis(100));
            }
            for (boolean commit : new boolean[] {false, true}) {
                producer.beginTransaction();
                send(producer, commit ? "e" : "d");
                OffsetAndMetadata at = new OffsetAndMetadata(commit ? 2 : 1);
                producer.sendOffsetsToTransaction(Map.of(first, at), consumer.groupMetadata());
                if (commit) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
                OffsetAndMetadata found = consumer.committed(java.util.Set.of(first)).get(first);
                tell(commit ? "offset after commit" : "offset after abort", found == null ? "none" : found.offset());
            }
        }
        tell("with offsets", committed(first));
    }

    private void look(Admin admin) throws Exception {
        String id = topic + "-tx";
        for (TransactionListing t : admin.listTransactions(new ListTransactionsOptions()).all().get(30, TimeUnit.SECONDS)) {
            if (t.transactionalId().equals(id)) {
                tell("listed", t.state());
            }
        }
        TransactionDescription found = admin.describeTransactions(List.of(id)).all().get(30, TimeUnit.SECONDS).get(id);
        tell("described", found.state() + " " + found.topicPartitions() + " " + found.transactionTimeoutMs());
        ProducerState state = open(admin);
        tell("open", state.currentTransactionStartOffset().getAsLong() + " " + (state.producerId() == found.producerId()));
    }

    private ProducerState open(Admin admin) throws Exception {
        for (ProducerState p : admin.describeProducers(List.of(first)).all().get(30, TimeUnit.SECONDS).get(first).activeProducers()) {
            if (p.currentTransactionStartOffset().isPresent()) {
                return p;
            }
        }
        throw new IllegalStateException("no open transaction");
    }

    private void fence(KafkaProducer<String, String> old, Admin admin) throws Exception {
        try (KafkaProducer<String, String> fresh = producer()) {
            fresh.initTransactions();
            tell("fenced", failure(old::commitTransaction));
            fresh.beginTransaction();
            send(fresh, "f");
            ProducerState state = open(admin);
            AbortTransactionSpec spec = new AbortTransactionSpec(
                first, state.producerId(), (short) state.producerEpoch(), state.coordinatorEpoch().orElse(0));
            admin.abortTransaction(spec).all().get(30, TimeUnit.SECONDS);
            tell("aborted by hand", committed(first));
            tell("fenced by admin", failure(() -> {
                try {
                    admin.fenceProducers(List.of(topic + "-tx")).all().get(30, TimeUnit.SECONDS);
                } catch (Exception error) {
                    throw new KafkaException(error);
                }
            }));
            tell("after that", failure(fresh::commitTransaction));
        }
    }
}
