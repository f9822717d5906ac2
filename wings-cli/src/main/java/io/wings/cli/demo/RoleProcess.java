package io.wings.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.RoleMetrics;
import io.wings.cli.client.WingsClient;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One role as a child JVM on this machine. It says on stdout where it listens once it is ready; its
 * log is a file.
 */
final class RoleProcess implements AutoCloseable {
  private static final long STOP_SECONDS = 20;

  /**
   * Options of this process that a role needs as well, those of the image among them: one that says
   * JSON on stdout is to be alone.
   */
  private static final Pattern INHERITED =
      Pattern.compile(
          "^-D(sun\\.net\\.httpserver|jdk\\.httpserver|logback)\\."
              + "|^-D(java\\.library\\.path|java\\.io\\.tmpdir|arrow\\.cdata\\.|org\\.xerial\\.snappy\\.)"
              + "|^-XX:(TieredStopAtLevel|AOTCache|SharedArchiveFile)=|^-Xlog:");

  private final String name;
  private final Process process;
  private final JsonNode ready;
  private volatile boolean killed;
  private volatile long peakAtDeath;

  private RoleProcess(String name, Process process, JsonNode ready) {
    this.name = name;
    this.process = process;
    this.ready = ready;
  }

  /**
   * Starts {@code wings <arguments>} and waits until it is ready.
   *
   * @param logs directory of the role's log
   * @param heapMegabytes limit of the Java heap
   */
  static RoleProcess start(String name, Path logs, int heapMegabytes, List<String> arguments)
      throws IOException {
    Path log = logs.resolve(name + ".log");
    Process process =
        new ProcessBuilder(command(heapMegabytes, arguments))
            .redirectError(log.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null) {
      process.destroy();
      throw new WingsException(
          ErrorKind.INTERNAL,
          "role-not-started",
          name + " ended before it was ready; its log " + log + " ends with: " + tail(log));
    }
    return new RoleProcess(name, process, WingsClient.json(line.getBytes(StandardCharsets.UTF_8)));
  }

  /** The command that runs this program again, with the JVM options of this process. */
  static List<String> command(int heapMegabytes, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--") || INHERITED.matcher(option).find())
        .forEach(command::add);
    command.add("-Xmx" + heapMegabytes + "m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("io.wings.cli.Wings");
    command.addAll(arguments);
    return command;
  }

  String name() {
    return name;
  }

  /** {@code host:port} at which the role serves. */
  String address() {
    return ready.path("listen").asText();
  }

  /** What its metrics say now. */
  RoleMetrics metrics() throws InterruptedException {
    return RoleMetrics.of("127.0.0.1:" + ready.path("http_port").asInt());
  }

  /** SIGKILL, on purpose. */
  void kill() throws InterruptedException {
    peakAtDeath = peakRssMegabytes();
    killed = true;
    process.destroyForcibly().waitFor();
  }

  boolean killed() {
    return killed;
  }

  boolean alive() {
    return process.isAlive();
  }

  /** The largest resident set that the process has had, in MiB; 0 where the system doesn't tell. */
  long peakRssMegabytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
        }
      }
    } catch (IOException e) {
      // no /proc: not Linux, or the process has ended
    }
    return peakAtDeath;
  }

  /** Asks the role to stop, then insists. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static String tail(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 8), lines.size()));
  }
}
