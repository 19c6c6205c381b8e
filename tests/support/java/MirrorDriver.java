package org.apache.kafka.connect.mirror;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What MirrorMaker 2's own classes write and read. {@code bytes}: keys and values of its records;
 * {@code translate BOOTSTRAP ALIAS GROUP}: where RemoteClusterUtils says that a group goes on;
 * {@code upstreams BOOTSTRAP}: the clusters it finds by heartbeats, with hops.
 */
public final class MirrorDriver {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "bytes":
                Heartbeat beat = new Heartbeat("a", "b", 1700000000123L);
                show("heartbeat", beat.recordKey(), beat.recordValue());
                Checkpoint point = new Checkpoint(
                    "group-ü", new TopicPartition("a.orders", 3), 12345678901L, 98765L, "note");
                show("checkpoint", point.recordKey(), point.recordValue());
                OffsetSync sync = new OffsetSync(new TopicPartition("orders", 3), 5000000000L, 7L);
                show("offset-sync", sync.recordKey(), sync.recordValue());
                break;
            case "translate":
                Map<TopicPartition, OffsetAndMetadata> found = RemoteClusterUtils.translateOffsets(
                    properties(args[1]), args[2], args[3], Duration.ofMinutes(2));
                Map<String, String> sorted = new TreeMap<>();
                found.forEach((p, o) -> sorted.put(p.toString(), o.offset() + " " + o.metadata()));
                sorted.forEach((p, o) -> System.out.println(p + " " + o));
                break;
            default:
                for (String alias : RemoteClusterUtils.upstreamClusters(properties(args[1]))) {
                    System.out.println(
                        alias + " " + RemoteClusterUtils.replicationHops(properties(args[1]), alias));
                }
        }
    }

    private static Map<String, Object> properties(String bootstrap) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", bootstrap);
        return properties;
    }

    private static void show(String name, byte[] key, byte[] value) {
        System.out.println(name + " " + hex(key) + " " + hex(value));
    }

    private static String hex(byte[] data) {
        StringBuilder out = new StringBuilder();
        for (byte b : data) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }
}
