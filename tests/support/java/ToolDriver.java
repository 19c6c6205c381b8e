import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Runs Kafka's command-line tools one after another in this JVM, since starting one takes longer
 * than most commands. A line of stdin is {@code class TAB stdin TAB argument ...}, URL-encoded; a
 * line of stdout is {@code exit code TAB stdout TAB stderr}.
 */
public final class ToolDriver {
    private static final PrintStream ANSWERS = System.out;
    private static final InputStream ORDERS = System.in;

    private static final class Exited extends Error {
        Exited() {
            super(null, null, false, false);
        }
    }

    /** Set once: Scala's println keeps the System.out that it saw first. */
    private static final class Switch extends OutputStream {
        volatile OutputStream to = new ByteArrayOutputStream();

        @Override
        public void write(int b) throws IOException {
            to.write(b);
        }

        @Override
        public void write(byte[] data, int from, int length) throws IOException {
            to.write(data, from, length);
        }
    }

    private static final Switch OUT = new Switch();
    private static final Switch ERR = new Switch();

    /** What a tool wrote until it asked to exit; what it writes while unwinding does not count. */
    private static final class Run {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = -1;
        byte[] outAtExit;
        byte[] errAtExit;

        synchronized void exit(int status) {
            if (code < 0) {
                System.out.flush();
                System.err.flush();
                code = status;
                outAtExit = out.toByteArray();
                errAtExit = err.toByteArray();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setOut(new PrintStream(OUT, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(ERR, true, StandardCharsets.UTF_8));
        BufferedReader in = new BufferedReader(new InputStreamReader(ORDERS, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            for (int i = 0; i < parts.length; i++) {
                parts[i] = URLDecoder.decode(parts[i], StandardCharsets.UTF_8);
            }
            Run run = one(parts[0], parts[1], Arrays.copyOfRange(parts, 2, parts.length));
            ANSWERS.println(run.code + "\t" + text(run.outAtExit) + "\t" + text(run.errAtExit));
            ANSWERS.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private static Run one(String name, String input, String[] args) throws Exception {
        Run run = new Run();
        endBy(run);
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        OUT.to = run.out;
        ERR.to = run.err;
        try {
            Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) args);
            run.exit(0);
        } catch (InvocationTargetException thrown) {
            if (run.code < 0) { // an exception that ends the JVM's main thread
                thrown.getCause().printStackTrace();
            }
            run.exit(1);
        }
        return run;
    }

    /** Tools that exit or halt end with the run; Kafka 4.4 has the class elsewhere. */
    private static void endBy(Run run) throws Exception {
        Class<?> exit;
        try {
            exit = Class.forName("org.apache.kafka.common.utils.internals.Exit");
        } catch (ClassNotFoundException older) {
            exit = Class.forName("org.apache.kafka.common.utils.Exit");
        }
        Class<?> procedure = Class.forName(exit.getName() + "$Procedure");
        Object end = Proxy.newProxyInstance(
            procedure.getClassLoader(), new Class<?>[] {procedure}, (self, method, values) -> {
                run.exit((Integer) values[0]);
                throw new Exited();
            });
        exit.getMethod("setExitProcedure", procedure).invoke(null, end);
        exit.getMethod("setHaltProcedure", procedure).invoke(null, end);
    }

    private static String text(byte[] data) {
        return URLEncoder.encode(new String(data, StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
