package io.wings.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.cli.client.RoleMetrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code wings …} as a process of its own, with the classpath and JVM options of the tests. */
public final class WingsProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONGEST_COMMAND = Duration.ofMinutes(4);
  private static final Duration LONGEST_STOP = Duration.ofMinutes(2);

  private final Process process;
  private final Path log;
  private final JsonNode ready;

  private WingsProcess(Process process, Path log, JsonNode ready) {
    this.process = process;
    this.log = log;
    this.ready = ready;
  }

  /** How a command that ran to its end ended. */
  public record Ended(int code, String out, String err) {
    /** The last line of stdout, as JSON. */
    public JsonNode json() {
      try {
        return JSON.readTree(out.lines().reduce("", (_, line) -> line));
      } catch (IOException e) {
        throw new UncheckedIOException(out + err, e);
      }
    }
  }

  /** Starts a role (or {@code dev}) and waits for the line that says that it serves. */
  public static WingsProcess start(Path directory, String name, List<String> arguments)
      throws IOException {
    return start(directory, Map.of(), name, arguments);
  }

  /** The same, with more environment. */
  public static WingsProcess start(
      Path directory, Map<String, String> environment, String name, List<String> arguments)
      throws IOException {
    return start(builder(directory, environment, arguments), directory.resolve(name + ".log"));
  }

  /** Starts what {@code builder} says, which becomes a role. */
  public static WingsProcess start(ProcessBuilder builder, Path log) throws IOException {
    Process process = builder.redirectError(log.toFile()).start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null) {
      throw new IOException("ended before it was ready: " + log + ": " + Files.readString(log));
    }
    return new WingsProcess(process, log, JSON.readTree(line));
  }

  /** Runs a command to its end. */
  public static Ended run(Path directory, List<String> arguments)
      throws IOException, InterruptedException {
    return run(directory, Map.of(), arguments);
  }

  /** Runs a command to its end, with more environment; one that has no end is killed and named. */
  public static Ended run(Path directory, Map<String, String> environment, List<String> arguments)
      throws IOException, InterruptedException {
    return run(builder(directory, environment, arguments), directory);
  }

  /** Runs what {@code builder} says to its end; what it prints goes through {@code directory}. */
  public static Ended run(ProcessBuilder builder, Path directory)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "stdout-", ".log");
    Path err = Files.createTempFile(directory, "stderr-", ".log");
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    if (!process.waitFor(LONGEST_COMMAND.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IOException(
          String.join(" ", builder.command())
              + " didn't end: "
              + Files.readString(out)
              + Files.readString(err));
    }
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  /** The JVM and its options, but for the classpath. */
  static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Xms192m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dlogback.configurationFile=logback.xml"));
    return command;
  }

  private static ProcessBuilder builder(
      Path directory, Map<String, String> environment, List<String> arguments) {
    List<String> command = new ArrayList<>(java());
    command.addAll(FastStart.options());
    command.addAll(List.of("-cp", FastStart.classpath(), "io.wings.cli.Wings"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    return builder;
  }

  /** What the role said when it was ready. */
  public JsonNode ready() {
    return ready;
  }

  /** {@code host:port} at which it serves. */
  public String address() {
    return ready.path("listen").asText();
  }

  public long pid() {
    return process.pid();
  }

  public boolean alive() {
    return process.isAlive();
  }

  public String log() throws IOException {
    return Files.readString(log);
  }

  /** Resident set now, in KiB. */
  public long rssKibibytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no VmRSS of " + pid());
  }

  /** What its threads do now, and what they are called. */
  public String threadDump() throws InterruptedException, IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process dump =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "Thread.print")
            .redirectErrorStream(true)
            .start();
    String text = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int _ = dump.waitFor();
    return text;
  }

  /** SIGKILL. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP: it does nothing, and nobody is told. */
  public void pause() {
    signal("STOP");
  }

  /** SIGCONT. */
  public void resume() {
    signal("CONT");
  }

  /** SIGTERM; doesn't wait. */
  public void terminate() {
    process.destroy();
  }

  /** Its exit code, once it has ended. */
  public int awaitExit() throws InterruptedException, IOException {
    if (!process.waitFor(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException("pid " + pid() + " doesn't end: " + log());
    }
    return process.exitValue();
  }

  /** What the role's metrics say now. */
  public RoleMetrics metrics() throws InterruptedException {
    return RoleMetrics.of("127.0.0.1:" + ready.path("http_port").asInt());
  }

  private void signal(String name) {
    if (!process.isAlive()) {
      return;
    }
    try {
      int _ = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SIGTERM, and SIGKILL when that doesn't end it. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
