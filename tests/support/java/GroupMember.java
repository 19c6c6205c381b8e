import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Consumers in one process, each in a thread: stdin says {@code join NAME} and the arguments of
 * {@code group_member.py} or, behind {@code copy NAME}, of {@code group_copier.py}; {@code leave NAME}
 * closes one. Prints what those do, each line behind the name, and {@code NAME E} when one has ended.
 */
public final class GroupMember implements Runnable {
    private final String name;
    private final String[] args;
    private final boolean copies;
    private volatile boolean ended;

    private GroupMember(String name, String[] args, boolean copies) {
        this.name = name;
        this.args = args;
        this.copies = copies;
    }

    public static void main(String[] unused) throws Exception {
        Map<String, GroupMember> members = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("leave")) {
                members.get(words[1]).ended = true;
            } else {
                String[] args = java.util.Arrays.copyOfRange(words, 2, words.length);
                GroupMember made = new GroupMember(words[1], args, words[0].equals("copy"));
                members.put(words[1], made);
                new Thread(made).start();
            }
        }
        System.exit(0);
    }

    private void tell(String text) {
        System.out.println(name + " " + text);
    }

    @Override
    public void run() {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            consumer.subscribe(List.of(args[2]));
            if (copies) {
                copyAll(consumer);
            } else {
                readAll(consumer);
            }
        } catch (FencedInstanceIdException | UnreleasedInstanceIdException | ProducerFencedException
                | InvalidProducerEpochException e) {
            tell("F");
        } catch (KafkaException e) {
            Throwable cause = e.getCause();
            boolean fenced = cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException;
            tell(fenced ? "F" : "X " + e + " of " + cause);
        } finally {
            tell("E");
        }
    }

    private KafkaConsumer<String, String> consumer() {
        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        p.put("group.id", args[1]);
        p.put("auto.offset.reset", "earliest");
        p.put("enable.auto.commit", "false");
        String how = copies ? args[5] : args[3];
        if (how.equals("consumer")) {
            p.put("group.protocol", "consumer");
        } else {
            p.put("session.timeout.ms", copies ? "45000" : args[5]);
            p.put("heartbeat.interval.ms", "500");
            p.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + strategy(how));
        }
        if (copies) {
            p.put("isolation.level", "read_committed");
            p.put("max.poll.records", "25");
        } else if (!args[4].equals("-")) {
            p.put("group.instance.id", args[4]);
        }
        return new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
    }

    private void readAll(KafkaConsumer<String, String> consumer) {
        String before = null;
        while (!ended) {
            ConsumerRecords<String, String> got;
            try {
                got = consumer.poll(Duration.ofMillis(100));
                if (!got.isEmpty()) {
                    consumer.commitSync();
                }
            } catch (CommitFailedException | RebalanceInProgressException | UnknownMemberIdException e) {
                continue; // the last one when its session has ended: the consumer joins again
            }
            before = told(consumer, got, before);
        }
    }

    private String told(KafkaConsumer<String, String> consumer, ConsumerRecords<String, String> got, String before) {
        for (ConsumerRecord<String, String> r : got) {
            tell("R " + r.partition() + " " + r.offset() + " " + r.value());
        }
        TreeSet<Integer> own = new TreeSet<>();
        for (TopicPartition each : consumer.assignment()) {
            own.add(each.partition());
        }
        String now = own.stream().map(String::valueOf).collect(Collectors.joining(","));
        if (!now.equals(before)) {
            tell("A " + now);
        }
        return now;
    }

    private void copyAll(KafkaConsumer<String, String> consumer) {
        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        p.put("transactional.id", args[4]);
        p.put("delivery.timeout.ms", "120000");
        p.put("request.timeout.ms", "60000");
        p.put("linger.ms", "0");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(p, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            String before = null;
            while (!ended) {
                ConsumerRecords<String, String> got = consumer.poll(Duration.ofMillis(100));
                if (got.isEmpty() || copied(consumer, producer, got)) {
                    before = told(consumer, got, before);
                } else {
                    consumer.committed(consumer.assignment()).forEach(
                        (at, stored) -> consumer.seek(at, stored == null ? 0 : stored.offset()));
                }
            }
        }
    }

    /** One transaction; false when it was aborted since the group has moved on. */
    private boolean copied(
            KafkaConsumer<String, String> consumer,
            KafkaProducer<String, String> producer,
            ConsumerRecords<String, String> got) {
        Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
        producer.beginTransaction();
        for (ConsumerRecord<String, String> r : got) {
            producer.send(new ProducerRecord<>(args[3], r.partition(), null, r.value()));
            ends.put(new TopicPartition(r.topic(), r.partition()), new OffsetAndMetadata(r.offset() + 1));
        }
        try {
            producer.flush(); // what is asked for while a fatal error arrives would never be answered
            producer.sendOffsetsToTransaction(ends, consumer.groupMetadata());
            producer.commitTransaction();
            return true;
        } catch (CommitFailedException | RebalanceInProgressException e) {
            producer.abortTransaction();
            return false;
        }
    }

    private static String strategy(String name) {
        switch (name) {
            case "sticky":
                return "StickyAssignor";
            case "cooperative-sticky":
                return "CooperativeStickyAssignor";
            default:
                return "RangeAssignor";
        }
    }
}
