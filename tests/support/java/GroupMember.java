import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer in a process of its own; arguments and output as those of {@code group_member.py}. */
public final class GroupMember {
    private static volatile boolean ended;

    public static void main(String[] args) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        p.put("group.id", args[1]);
        p.put("auto.offset.reset", "earliest");
        p.put("enable.auto.commit", "false");
        p.put("session.timeout.ms", "6000");
        p.put("heartbeat.interval.ms", "500");
        p.put("key.deserializer", StringDeserializer.class.getName());
        p.put("value.deserializer", StringDeserializer.class.getName());
        p.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + strategy(args[3]));
        if (!args[4].equals("-")) {
            p.put("group.instance.id", args[4]);
        }
        Thread waiting = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                }
            } catch (java.io.IOException e) {
                // the test has ended
            }
            ended = true;
        });
        waiting.setDaemon(true);
        waiting.start();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p)) {
            consumer.subscribe(List.of(args[2]));
            String before = null;
            while (!ended) {
                List<ConsumerRecord<String, String>> got = new ArrayList<>();
                consumer.poll(Duration.ofMillis(100)).forEach(got::add);
                try {
                    if (!got.isEmpty()) {
                        consumer.commitSync();
                    }
                } catch (CommitFailedException | RebalanceInProgressException e) {
                    continue;
                }
                for (ConsumerRecord<String, String> r : got) {
                    System.out.println("R " + r.partition() + " " + r.offset() + " " + r.value());
                }
                TreeSet<Integer> own = new TreeSet<>();
                for (TopicPartition each : consumer.assignment()) {
                    own.add(each.partition());
                }
                String now = own.stream().map(String::valueOf).collect(Collectors.joining(","));
                if (!now.equals(before)) {
                    System.out.println("A " + now);
                    before = now;
                }
                System.out.flush();
            }
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
