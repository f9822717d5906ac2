package io.wings.deploy;

import static io.wings.deploy.Manifests.stream;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.Wings;
import io.wings.common.config.Durations;
import io.wings.common.config.HostPort;
import io.wings.deploy.Manifests.Pod;
import io.wings.loadbalancer.fleet.IngestorSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What the chart tells the program, and what the program takes. */
class ChartProgramTest {
  /** Made once: it takes longer than what is asked of it. */
  private static final CommandLine PROGRAM = Wings.commandLine();

  /** The launcher of the image, which reads variables of its own. */
  private static final Path LAUNCHER = Chart.ROOT.resolve("deploy/image/wings");

  static List<String> cases() throws IOException {
    return Chart.cases();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theProgramTakesAllArguments(String values) throws IOException {
    for (Pod pod : Chart.render(values).pods()) {
      CommandSpec command = command(pod);
      List<String> unknown =
          pod.arguments().stream()
              .filter(argument -> argument.startsWith("--"))
              .map(argument -> argument.replaceFirst("=.*", ""))
              .filter(option -> !command.optionsMap().containsKey(option))
              .toList();
      assertEquals(List.of(), unknown, pod.component());
      ParseResult parsed = PROGRAM.parseArgs(pod.arguments().toArray(new String[0]));
      assertEquals(
          pod.component().equals("test") ? "table" : pod.component(),
          parsed.subcommand().commandSpec().name());
    }
  }

  /** The command that a pod runs. */
  private static CommandSpec command(Pod pod) {
    CommandLine found = PROGRAM;
    for (String argument : pod.arguments()) {
      CommandLine next = found.getSubcommands().get(argument);
      if (next == null) {
        break;
      }
      found = next;
    }
    return found.getCommandSpec();
  }

  /** A variable that nobody reads is a setting that is passed over. */
  @ParameterizedTest
  @MethodSource("cases")
  void everyVariableIsReadBySomebody(String values) throws IOException {
    for (Pod pod : Chart.render(values).pods()) {
      String described = described(command(pod));
      Set<String> unread = new TreeSet<>();
      for (String name : pod.environment().keySet()) {
        boolean used = pod.arguments().stream().anyMatch(each -> each.contains("$(" + name + ")"));
        boolean launchers = Set.of("WINGS_HEAP", "WINGS_JAVA_OPTS").contains(name);
        // Of the AWS SDK's default chain.
        boolean keys = name.matches("AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)");
        if (!used && !launchers && !keys && !described.contains(name)) {
          unread.add(name);
        }
      }
      assertEquals(Set.of(), unread, pod.component());
    }
  }

  /** All that a command's options say of themselves: defaults from variables, and descriptions. */
  private static String described(CommandSpec command) {
    StringBuilder text = new StringBuilder();
    for (ArgSpec option : command.options()) {
      text.append(Objects.requireNonNullElse(option.defaultValue(), ""));
      text.append(String.join(" ", option.description())).append('\n');
    }
    return text.toString();
  }

  @Test
  void theImagesLauncherReadsTheHeapAndTheOptionsOfTheJvm() throws IOException {
    assumeTrue(Files.exists(LAUNCHER), "the image isn't there yet: " + LAUNCHER);
    String launcher = Files.readString(LAUNCHER);
    for (String name : List.of("WINGS_HEAP", "WINGS_JAVA_OPTS")) {
      assertTrue(launcher.contains("${" + name), name);
    }
  }

  @Test
  void theJvmTakesItsOptions() throws IOException, InterruptedException {
    for (Pod pod : Chart.render().rolePods()) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-Xmx" + pod.variable("WINGS_HEAP"));
      command.addAll(List.of(pod.variable("WINGS_JAVA_OPTS").split(" ")));
      command.add("-version");
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(30, TimeUnit.SECONDS), said);
      assertEquals(0, process.exitValue(), said);
    }
  }

  @Test
  void loadBalancersLookUpIngestorsWhereTheirServiceListsThem() throws IOException {
    for (String values : List.of("minimal", "placed")) {
      Manifests manifests = Chart.render(values);
      JsonNode service =
          manifests.ofKind("Service").stream()
              .filter(each -> Manifests.name(each).endsWith("-ingestor"))
              .findFirst()
              .orElseThrow();
      assertEquals("None", service.at("/spec/clusterIP").asText());
      String said = manifests.pod("load-balancer").argument("--ingestors");
      HostPort expected =
          new HostPort(
              Manifests.name(service) + "." + Chart.NAMESPACE + ".svc",
              service.at("/spec/ports/0/port").asInt());
      assertEquals(new IngestorSource.Dns(expected), IngestorSource.parse(said));
    }
  }

  @Test
  void aBrokerAdvertisesItsPodsAddressWhateverItsKind() throws IOException {
    Pod broker = Chart.render().pod("broker");
    assertEquals(
        "status.podIP",
        broker.environment().get("POD_IP").at("/valueFrom/fieldRef/fieldPath").asText());
    for (String address : List.of("10.0.3.7", "fd00::7")) {
      String said = broker.argument("--advertise").replace("$(POD_IP)", address);
      assertEquals(new HostPort(address, 8816), HostPort.parse(said).requireDialable("the broker"));
    }
  }

  @Test
  void everyRoleListensWhereItsPortIsNamed() throws IOException {
    for (Pod pod : Chart.render("catalog").rolePods()) {
      if (pod.component().equals("worker")) {
        continue;
      }
      JsonNode port = pod.container().path("ports").path(0);
      assertEquals("0.0.0.0:" + port.path("containerPort").asInt(), pod.argument("--listen"));
    }
  }

  @Test
  void scratchSpaceIsMountedWhereTheWorkerIsToldToHaveIt() throws IOException {
    Pod worker = Chart.render().pod("worker");
    List<String> mounted =
        stream(worker.container().path("volumeMounts"))
            .filter(mount -> mount.path("name").asText().equals("scratch"))
            .map(mount -> mount.path("mountPath").asText())
            .toList();
    assertEquals(List.of(worker.argument("--scratch")), mounted);
  }

  /** Who is let in by the one is let in by the other. */
  @Test
  void theCatalogKnowsClientsAsLoadBalancersDo() throws IOException {
    for (String values : List.of("minimal", "open", "jwt", "jwt-file", "tls")) {
      Manifests manifests = Chart.render("catalog", values);
      List<String> known = clientArguments(manifests.pod("load-balancer"));
      assertFalse(known.isEmpty());
      assertEquals(known, clientArguments(manifests.pod("catalog")));
    }
  }

  private static List<String> clientArguments(Pod pod) {
    return pod.arguments().stream()
        .filter(each -> each.matches("--(open|no-grants|tokens-file|jwt|tls).*"))
        .toList();
  }

  /** Every file that an argument or a variable names lies under something that is mounted. */
  @ParameterizedTest
  @MethodSource("cases")
  void filesThatAreNamedAreMounted(String values) throws IOException {
    for (Pod pod : Chart.render(values).pods()) {
      List<String> mounts =
          stream(pod.container().path("volumeMounts"))
              .map(mount -> mount.path("mountPath").asText())
              .toList();
      List<String> named = new ArrayList<>();
      pod.arguments().stream().map(each -> each.replaceFirst("^[^=]*=", "")).forEach(named::add);
      pod.environment().values().forEach(each -> named.add(each.path("value").asText()));
      for (String text : named) {
        String file = text.replaceFirst("^file://", "");
        if (file.startsWith("/")) {
          assertTrue(
              mounts.stream().anyMatch(mount -> file.equals(mount) || file.startsWith(mount + "/")),
              pod.component() + " names " + file + " and mounts " + mounts);
        }
      }
    }
  }

  @Test
  void durationsAreWrittenAsTheProgramReadsThem() throws IOException {
    Manifests manifests = Chart.render();
    assertEquals(
        10, Durations.parse(manifests.pod("load-balancer").argument("--drain-grace")).toSeconds());
    assertEquals(
        1, Durations.parse(manifests.pod("ingestor").argument("--flush-interval")).toSeconds());
    assertEquals(24, Durations.parse(manifests.pod("worker").argument("--orphan-grace")).toHours());
    assertEquals(
        0,
        Durations.parse(Chart.render("open").pod("ingestor").argument("--flush-interval"))
            .toMillis());
  }
}
