import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.kafka.common.security.ssl.SslPrincipalMapper;

/**
 * Says what a broker of Apache Kafka makes of client certificates. The first argument is the
 * authority in PEM, the second ssl.principal.mapping.rules; each line of the input is a chain in
 * hexadecimal DER. The answer is {@code refused}, or {@code accepted TAB user} in hexadecimal UTF-8.
 */
public final class CertificateDriver {
    public static void main(String[] args) throws Exception {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (FileInputStream in = new FileInputStream(args[0])) {
            trusted.setCertificateEntry("ca", factory.generateCertificate(in));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(trusted);
        X509TrustManager manager = (X509TrustManager) managers.getTrustManagers()[0];
        SslPrincipalMapper mapper = SslPrincipalMapper.fromRules(args[1]);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<X509Certificate> chain = new ArrayList<>();
            for (String one : line.split(" ")) {
                byte[] der = HexFormat.of().parseHex(one);
                chain.add(
                    (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
            }
            System.out.println(answer(manager, mapper, chain));
        }
    }

    private static String answer(
        X509TrustManager manager, SslPrincipalMapper mapper, List<X509Certificate> chain)
        throws Exception {
        try {
            manager.checkClientTrusted(chain.toArray(new X509Certificate[0]), "EC");
        } catch (CertificateException error) {
            return "refused";
        }
        String user = mapper.getName(chain.get(0).getSubjectX500Principal().getName());
        return "accepted\t" + HexFormat.of().formatHex(user.getBytes(StandardCharsets.UTF_8));
    }
}
