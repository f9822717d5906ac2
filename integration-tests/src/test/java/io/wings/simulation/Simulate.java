package io.wings.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.simulation.kernel.SeededSecureRandom;
import io.wings.simulation.kernel.Trace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./wings simulate}: plays seeds, several at once, each in a JVM that plays nothing beside
 * it, so that no lock of a library is ever contended between two runs.
 */
@Command(
    name = "wings simulate",
    description = "Runs all roles under one seeded scheduler with faults, and checks the promises.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class Simulate implements Runnable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Where traces of violations go, below the directory that this runs in. */
  private static final Path TRACES = Path.of("target", "simulation");

  private static final int OK = 0;
  private static final int VIOLATION = 1;
  private static final int USAGE = 2;

  @Option(names = "--seeds", paramLabel = "FROM..TO", description = "which (default: 1..200)")
  private String seeds = "1..200";

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description =
          "what is played: ${COMPLETION-CANDIDATES} (default: that of the mutant, or all)")
  private @Nullable Workload workload;

  @Option(
      names = "--mutant",
      paramLabel = "NAME",
      completionCandidates = Mutants.class,
      description = "with one guard taken out: ${COMPLETION-CANDIDATES}")
  private @Nullable Mutant mutant;

  @Option(names = "--until-failure", description = "ends with the first violation")
  private boolean untilFailure;

  @Option(
      names = "--json",
      description = "prints one line of JSON, and nothing else, to standard output")
  private boolean json;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "seeds at once (default: ${DEFAULT-VALUE})")
  private int jobs = 2;

  @Option(
      names = "--trace",
      description = "writes every seed's trace, not only those of violations")
  private boolean trace;

  @Option(
      names = "--log",
      paramLabel = "LEVEL",
      description = "of the code under test (default: OFF)")
  private String log = "OFF";

  @Option(
      names = "--part",
      hidden = true,
      description = "plays every N-th seed from FROM, for a parent")
  private int part;

  private int exitCode = OK;

  public static void main(String[] args) {
    Simulate command = new Simulate();
    CommandLine line =
        new CommandLine(command)
            .registerConverter(Mutant.class, Mutants::of)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler(
                (e, _, _) -> {
                  System.err.println("wings simulate: " + e);
                  return USAGE;
                });
    int parsed = line.execute(args);
    int code = parsed == OK ? command.exitCode : parsed;
    System.out.flush();
    // Not exit: of the libraries that are loaded, one crashes the JVM in its last moment.
    Runtime.getRuntime().halt(code);
  }

  /** From and to, both inclusive. */
  private record Range(long from, long to) {
    static Range parse(String text) {
      String[] ends = text.split("\\.\\.", -1);
      try {
        long from = Long.parseLong(ends[0]);
        Range range = new Range(from, ends.length == 1 ? from : Long.parseLong(ends[1]));
        if (ends.length <= 2 && range.from >= 0 && range.to >= range.from) {
          return range;
        }
      } catch (NumberFormatException _) {
        // Told below.
      }
      throw new IllegalArgumentException("--seeds: expected FROM..TO, e.g. 1..200, got " + text);
    }
  }

  @Override
  public void run() {
    if (mutant != null && mutant.teller() instanceof Mutant.Teller.Failing test) {
      System.err.printf(
          "wings simulate: no seed tells %s from production, the test %s does:"
              + " mvn -q -pl integration-tests -am verify -Dtest=TestedMutantsTest"
              + " -Dwings.mutant=%s -Dsurefire.failIfNoSpecifiedTests=false%n",
          mutant, test, mutant);
      exitCode = USAGE;
      return;
    }
    Range range = Range.parse(seeds);
    try {
      if (part > 0) {
        play(range);
      } else {
        lead(range);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- a part ----------------------------------------------------------------------------------

  private void play(Range range) throws IOException {
    SeededSecureRandom.install();
    if (mutant != null && mutant.change() instanceof Mutant.Change.Rewritten(var edits)) {
      String[] arguments = arguments(range.from, range.to).toArray(String[]::new);
      new MutantLoader(edits).main(Simulate.class, arguments);
      return;
    }
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
        .setLevel(Level.toLevel(log, Level.OFF));
    for (long seed = range.from; seed <= range.to; seed += jobs) {
      Run.Outcome outcome = once(seed);
      System.out.println(JSON.writeValueAsString(Report.line(outcome)));
      System.out.flush();
    }
  }

  private Run.Outcome once(long seed) throws IOException {
    Run.Outcome outcome;
    try (Trace kept = trace ? written(seed) : Trace.hashed()) {
      outcome = Run.of(workload().scenario(seed), wiring(), kept);
    }
    if (!trace && !outcome.violations().isEmpty()) {
      try (Trace again = written(seed)) {
        Run.Outcome second = Run.of(workload().scenario(seed), wiring(), again);
        if (second.hash() != outcome.hash()) {
          System.err.println("seed " + seed + " played another run the second time");
        }
      }
    }
    return outcome;
  }

  private static Trace written(long seed) throws IOException {
    Path _ = Files.createDirectories(TRACES);
    return Trace.written(Files.newBufferedWriter(tracePath(seed)));
  }

  private static Path tracePath(long seed) {
    return TRACES.resolve("seed-" + seed + ".trace");
  }

  private Workload workload() {
    if (workload != null) {
      return workload;
    }
    return mutant != null && mutant.teller() instanceof Mutant.Teller.Seed first
        ? first.workload()
        : Workload.DEFAULT;
  }

  private Wiring wiring() {
    return mutant != null && mutant.change() instanceof Mutant.Change.Miswired(var what)
        ? what.wiring()
        : Wiring.PRODUCTION;
  }

  // --- the parent ------------------------------------------------------------------------------

  private void lead(Range range) throws IOException {
    Report report = new Report();
    List<Process> parts = new ArrayList<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < jobs && range.from + i <= range.to; i++) {
      Process process =
          new ProcessBuilder(command(range.from + i, range.to))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      parts.add(process);
      readers.add(Thread.ofPlatform().start(() -> read(process, report, parts)));
    }
    try {
      for (Thread reader : readers) {
        reader.join();
      }
    } catch (InterruptedException e) {
      parts.forEach(Process::destroyForcibly);
      Thread.currentThread().interrupt();
    }
    boolean whole =
        (untilFailure && report.failed()) || report.seeds() == range.to - range.from + 1;
    System.out.println(json ? JSON.writeValueAsString(report.summary()) : report.text());
    exitCode = report.failed() || !whole ? VIOLATION : OK;
  }

  private List<String> command(long from, long to) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Simulate.class.getName()));
    command.addAll(arguments(from, to));
    if (mutant != null) {
      command.add("--mutant=" + mutant);
    }
    return command;
  }

  /** Of a part, but for the mutant. */
  private List<String> arguments(long from, long to) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--part=1");
    arguments.add("--jobs=" + jobs);
    arguments.add("--seeds=" + from + ".." + to);
    arguments.add("--workload=" + workload());
    arguments.add("--log=" + log);
    if (trace) {
      arguments.add("--trace");
    }
    return arguments;
  }

  private void read(Process part, Report report, List<Process> parts) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(part.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("{")) {
          continue;
        }
        JsonNode outcome = JSON.readTree(line);
        report.add(outcome);
        progress(report, outcome);
        if (untilFailure && report.failed()) {
          List.copyOf(parts).forEach(Process::destroyForcibly);
          return;
        }
      }
    } catch (IOException e) {
      System.err.println("wings simulate: " + e);
    }
  }

  private static void progress(Report report, JsonNode outcome) {
    for (JsonNode violation : outcome.path("violations")) {
      System.err.println("seed " + outcome.path("seed").asLong() + ": " + violation.asText());
    }
    if (!outcome.path("violations").isEmpty()) {
      System.err.println("  trace: " + tracePath(outcome.path("seed").asLong()));
    }
    if (report.seeds() % 100 == 0) {
      System.err.println(report.text());
    }
  }
}
