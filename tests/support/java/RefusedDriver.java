import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ExpireDelegationTokenOptions;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Asks a broker for what it has switched off. Each line is {@code what TAB answer}, where the answer
 * is the exception that the admin client throws, with its text.
 */
public final class RefusedDriver {
    private static void note(String what, Supplier<KafkaFuture<?>> call) throws Exception {
        String answer;
        try {
            answer = String.valueOf(call.get().get(30, TimeUnit.SECONDS));
        } catch (ExecutionException error) {
            answer = error.getCause().toString();
        }
        System.out.println(what + "\t" + answer);
    }

    public static void main(String[] args) throws Exception {
        AccessControlEntry entry =
            new AccessControlEntry("User:me", "*", AclOperation.READ, AclPermissionType.ALLOW);
        AclBinding rule =
            new AclBinding(new ResourcePattern(ResourceType.TOPIC, "t", PatternType.LITERAL), entry);
        byte[] secret = "secret".getBytes();
        FeatureUpdate three = new FeatureUpdate((short) 3, FeatureUpdate.UpgradeType.UPGRADE);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
            note("describe ACLs", () -> admin.describeAcls(rule.toFilter()).values());
            note("create ACLs", () -> admin.createAcls(List.of(rule)).all());
            note("delete ACLs", () -> admin.deleteAcls(List.of(rule.toFilter())).all());
            note("create a token", () -> admin.createDelegationToken().delegationToken());
            note("renew a token", () -> admin.renewDelegationToken(secret).expiryTimestamp());
            note("expire a token", () -> admin.expireDelegationToken(
                secret, new ExpireDelegationTokenOptions().expiryTimePeriodMs(-1)).expiryTimestamp());
            note("describe tokens", () -> admin.describeDelegationToken().delegationTokens());
            note("update features", () -> admin.updateFeatures(
                Map.of("metadata.version", three), new UpdateFeaturesOptions()).all());
            note("describe features", () -> admin.describeFeatures().featureMetadata());
            note("describe the quorum", () -> admin.describeMetadataQuorum().quorumInfo());
            note("unregister a broker", () -> admin.unregisterBroker(7).all());
            note("client metrics", () -> admin.listClientMetricsResources().all());
            note("describe a group", () -> admin.describeConsumerGroups(List.of("nobody's")).all());
        }
    }
}
