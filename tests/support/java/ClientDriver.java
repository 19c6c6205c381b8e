import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Runs one request per line of stdin with the Java clients: {@code verb TAB name=value ...}, values
 * URL-encoded, bytes in base64, {@code ~} for null. Answers with lines of tab-separated fields, then
 * {@code .}, or with {@code !code TAB text} when the broker refused.
 */
public final class ClientDriver {
    private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private static final long SECONDS = 30;
    private Map<String, String> common;
    private Admin admin;

    private void connect(Map<String, String> settings) {
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
        common = settings;
        admin = Admin.create(properties(Map.of("config", List.of())));
    }

    private Properties properties(Map<String, List<String>> f) {
        Properties p = new Properties();
        common.forEach(p::put);
        pairs(f.get("config")).forEach(p::put);
        return p;
    }

    public static void main(String[] args) throws Exception {
        ClientDriver driver = new ClientDriver();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            Map<String, List<String>> fields = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                int at = parts[i].indexOf('=');
                String value = URLDecoder.decode(parts[i].substring(at + 1), StandardCharsets.UTF_8);
                fields.computeIfAbsent(parts[i].substring(0, at), k -> new ArrayList<>()).add(value);
            }
            try {
                driver.run(parts[0], fields);
                OUT.println(".");
            } catch (Throwable error) {
                Throwable cause = error;
                while (cause.getCause() != null && !(cause instanceof org.apache.kafka.common.errors.ApiException)) {
                    cause = cause.getCause();
                }
                Throwable root = cause;
                while (root.getCause() != null) {
                    root = root.getCause();
                }
                String said = root == cause ? cause.toString() : cause + ": " + root;
                OUT.println("!" + Errors.forException(cause).code() + "\t" + text(said));
            }
            OUT.flush();
        }
        System.exit(0);
    }

    private static String text(String value) {
        return value == null ? "~" : URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String b64(byte[] data) {
        return data == null ? "~" : Base64.getEncoder().encodeToString(data);
    }

    private static byte[] bytes(String data) {
        return data.equals("~") ? null : Base64.getDecoder().decode(data);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(SECONDS, TimeUnit.SECONDS);
    }

    private static void row(Object... fields) {
        StringBuilder line = new StringBuilder(":");
        for (int i = 0; i < fields.length; i++) {
            line.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        OUT.println(line);
    }

    private static Map<String, String> pairs(List<String> texts) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String one : texts == null ? List.<String>of() : texts) {
            int at = one.indexOf('=');
            found.put(one.substring(0, at), one.substring(at + 1));
        }
        return found;
    }

    private static String one(Map<String, List<String>> f, String name) {
        return f.get(name).get(0);
    }

    private static TopicPartition where(Map<String, List<String>> f) {
        return new TopicPartition(one(f, "topic"), Integer.parseInt(one(f, "partition")));
    }

    private void run(String verb, Map<String, List<String>> f) throws Exception {
        switch (verb) {
            case "connect": connect(pairs(f.get("config"))); break;
            case "produce": produce(f); break;
            case "steady": steady(f); break;
            case "consume": consume(f); break;
            case "subscribe": subscribe(f); break;
            case "offsets": offsets(f); break;
            case "time": time(f); break;
            case "list-offsets": listOffsets(f); break;
            case "create": create(f); break;
            case "delete": get(admin.deleteTopics(f.get("topic")).all()); break;
            case "list": get(admin.listTopics().names()).forEach(n -> row(text(n))); break;
            case "describe": describe(f); break;
            case "partitions": partitions(f); break;
            case "configs": configs(f); break;
            case "alter-configs": alterConfigs(f); break;
            case "delete-records": deleteRecords(f); break;
            case "cluster": cluster(); break;
            case "log-dirs": logDirs(f); break;
            case "elect": elect(f); break;
            default: throw new IllegalArgumentException(verb);
        }
    }

    private void produce(Map<String, List<String>> f) throws Exception {
        Properties p = properties(f);
        TopicPartition to = where(f);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (String text : f.get("m")) {
                String[] m = text.split(",", -1);
                List<Header> headers = new ArrayList<>();
                for (int i = 3; i < m.length; i += 2) {
                    headers.add(new RecordHeader(new String(bytes(m[i]), StandardCharsets.UTF_8), bytes(m[i + 1])));
                }
                sent.add(producer.send(new ProducerRecord<>(
                    to.topic(), to.partition(), Long.parseLong(m[0]), bytes(m[1]), bytes(m[2]), headers)));
            }
            producer.flush();
            for (Future<RecordMetadata> future : sent) {
                RecordMetadata done = get(future);
                row(done.hasOffset() ? done.offset() : -1, done.timestamp());
            }
        }
    }

    /** One record at a time, with a pause; then how often the producer connected and logged in again. */
    private void steady(Map<String, List<String>> f) throws Exception {
        byte[] value = "v".getBytes(StandardCharsets.UTF_8);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties(f), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int left = Integer.parseInt(one(f, "count")); left > 0; left--) {
                get(producer.send(new ProducerRecord<>(one(f, "topic"), value)));
                Thread.sleep(Long.parseLong(one(f, "pause")));
            }
            producer.metrics().forEach((name, metric) -> {
                if (name.group().equals("producer-metrics") && name.name().endsWith("-total")) {
                    row(name.name(), ((Number) metric.metricValue()).longValue());
                }
            });
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, List<String>> f) {
        Properties p = properties(f);
        p.putIfAbsent("auto.offset.reset", "none");
        return new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private void consume(Map<String, List<String>> f) {
        TopicPartition from = where(f);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(f)) {
            consumer.assign(List.of(from));
            consumer.seek(from, Long.parseLong(one(f, "start")));
            read(consumer, f);
        }
    }

    private void subscribe(Map<String, List<String>> f) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(f)) {
            consumer.subscribe(f.get("topic"));
            read(consumer, f);
            consumer.commitSync();
        }
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, Map<String, List<String>> f) {
        int left = Integer.parseInt(one(f, "count"));
        long end = System.nanoTime() + (long) (Double.parseDouble(one(f, "seconds")) * 1e9);
        while (left > 0 && System.nanoTime() < end) {
            for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofMillis(200))) {
                if (left-- > 0) {
                    StringBuilder headers = new StringBuilder();
                    for (Header h : r.headers()) {
                        headers.append(',').append(b64(h.key().getBytes(StandardCharsets.UTF_8)));
                        headers.append(',').append(b64(h.value()));
                    }
                    row(r.offset(), r.timestamp(), r.timestampType().id, b64(r.key()), b64(r.value()), headers);
                }
            }
        }
    }

    private void offsets(Map<String, List<String>> f) {
        TopicPartition tp = where(f);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(f)) {
            row(consumer.beginningOffsets(List.of(tp)).get(tp), consumer.endOffsets(List.of(tp)).get(tp));
        }
    }

    private void time(Map<String, List<String>> f) {
        TopicPartition tp = where(f);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(f)) {
            OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(tp, Long.parseLong(one(f, "at")))).get(tp);
            row(found == null ? -1 : found.offset());
        }
    }

    private void listOffsets(Map<String, List<String>> f) throws Exception {
        TopicPartition tp = where(f);
        String spec = one(f, "spec");
        OffsetSpec asked = switch (spec) {
            case "earliest" -> OffsetSpec.earliest();
            case "latest" -> OffsetSpec.latest();
            case "max-timestamp" -> OffsetSpec.maxTimestamp();
            default -> OffsetSpec.forTimestamp(Long.parseLong(spec));
        };
        var info = get(admin.listOffsets(Map.of(tp, asked)).partitionResult(tp));
        row(info.offset(), info.timestamp(), info.leaderEpoch().orElse(-1));
    }

    private void create(Map<String, List<String>> f) throws Exception {
        int partitions = Integer.parseInt(one(f, "partitions"));
        NewTopic topic = new NewTopic(one(f, "topic"), Optional.of(partitions), Optional.empty());
        get(admin.createTopics(List.of(topic.configs(pairs(f.get("config"))))).all());
    }

    private static String ids(Collection<Node> nodes) {
        StringBuilder text = new StringBuilder();
        nodes.forEach(n -> text.append(text.length() == 0 ? "" : ",").append(n.id()));
        return text.toString();
    }

    private void describe(Map<String, List<String>> f) throws Exception {
        TopicDescription found = get(admin.describeTopics(f.get("topic")).allTopicNames()).get(one(f, "topic"));
        for (TopicPartitionInfo p : found.partitions()) {
            row(p.partition(), p.leader() == null ? -1 : p.leader().id(), ids(p.replicas()), ids(p.isr()));
        }
    }

    private void partitions(Map<String, List<String>> f) throws Exception {
        NewPartitions total = NewPartitions.increaseTo(Integer.parseInt(one(f, "total")));
        get(admin.createPartitions(Map.of(one(f, "topic"), total)).all());
    }

    private static ConfigResource resource(Map<String, List<String>> f) {
        return new ConfigResource(ConfigResource.Type.valueOf(one(f, "type")), one(f, "name"));
    }

    private void configs(Map<String, List<String>> f) throws Exception {
        Config found = get(admin.describeConfigs(List.of(resource(f))).all()).get(resource(f));
        for (ConfigEntry e : found.entries()) {
            row(text(e.name()), text(e.value()), e.source(), e.isReadOnly(), e.isSensitive());
        }
    }

    private void alterConfigs(Map<String, List<String>> f) throws Exception {
        List<AlterConfigOp> ops = new ArrayList<>();
        AlterConfigOp.OpType op = AlterConfigOp.OpType.valueOf(one(f, "op"));
        pairs(f.get("config")).forEach((k, v) -> ops.add(new AlterConfigOp(new ConfigEntry(k, v), op)));
        get(admin.incrementalAlterConfigs(Map.of(resource(f), ops)).all());
    }

    private void deleteRecords(Map<String, List<String>> f) throws Exception {
        RecordsToDelete before = RecordsToDelete.beforeOffset(Long.parseLong(one(f, "before")));
        row(get(admin.deleteRecords(Map.of(where(f), before)).lowWatermarks().get(where(f))).lowWatermark());
    }

    private void cluster() throws Exception {
        DescribeClusterResult found = admin.describeCluster();
        row("cluster", get(found.clusterId()), get(found.controller()).id());
        for (Node n : get(found.nodes())) {
            row("broker", n.id(), n.host(), n.port());
        }
    }

    private void logDirs(Map<String, List<String>> f) throws Exception {
        int broker = Integer.parseInt(one(f, "broker"));
        Map<String, LogDirDescription> dirs = get(admin.describeLogDirs(List.of(broker)).allDescriptions()).get(broker);
        for (Map.Entry<String, LogDirDescription> dir : new TreeMap<>(dirs).entrySet()) {
            for (Map.Entry<TopicPartition, ReplicaInfo> r : dir.getValue().replicaInfos().entrySet()) {
                row(text(dir.getKey()), r.getKey().topic(), r.getKey().partition(), r.getValue().size(),
                    r.getValue().offsetLag(), r.getValue().isFuture());
            }
        }
    }

    private void elect(Map<String, List<String>> f) throws Exception {
        TopicPartition tp = where(f);
        var result = get(admin.electLeaders(ElectionType.PREFERRED, java.util.Set.of(tp)).partitions());
        Optional<Throwable> problem = result.get(tp);
        if (problem.isPresent()) {
            throw new ExecutionException(problem.get());
        }
    }
}
