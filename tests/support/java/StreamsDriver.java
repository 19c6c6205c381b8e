import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Counts words exactly once: {@code StreamsDriver bootstrap application from to directory}.
 *
 * <p>Without a cache each word read gives one record: the word and its count so far. Ends with
 * stdin; with exit code 1 when Kafka Streams gives up. {@code -Dgroup.protocol=streams} joins as KIP-1071
 * has it, not as a consumer group.
 */
public final class StreamsDriver {
    public static void main(String[] args) throws Exception {
        Properties p = new Properties();
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, args[1]);
        p.put(StreamsConfig.STATE_DIR_CONFIG, args[4]);
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "100");
        p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, "1");
        p.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        p.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        p.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        String protocol = System.getProperty("group.protocol", "classic");
        if (protocol.equals("classic")) { // in others the brokers decide
            p.put(StreamsConfig.consumerPrefix("session.timeout.ms"), "6000");
            p.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), "500");
        } else {
            p.put("group.protocol", protocol);
        }

        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(args[2])
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word)
            .count()
            .toStream()
            .mapValues(String::valueOf)
            .to(args[3], Produced.with(Serdes.String(), Serdes.String()));

        CountDownLatch end = new CountDownLatch(1);
        boolean[] failed = {false};
        KafkaStreams streams = new KafkaStreams(builder.build(), p);
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            failed[0] = true;
            end.countDown();
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        Thread waiting = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                }
            } catch (java.io.IOException e) {
                // the test has ended
            }
            end.countDown();
        });
        waiting.setDaemon(true);
        waiting.start();
        end.await();
        streams.close(java.time.Duration.ofSeconds(20));
        System.exit(failed[0] ? 1 : 0);
    }
}
