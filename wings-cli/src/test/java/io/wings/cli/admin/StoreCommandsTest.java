package io.wings.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.cli.Wings;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands that open the store, where no role runs. */
class StoreCommandsTest {
  @TempDir private Path directory;

  private record Ended(int code, String out, String err) {}

  private Path store() {
    return directory.resolve("cluster");
  }

  private void cluster() {
    try (ObjectStore store = ObjectStores.open(store().toString(), StoreOptions.defaults())) {
      ClusterFile _ = ClusterFile.open(store, Time.system(), Ids.secure());
    }
  }

  private Ended run(String typed) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Wings.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of(typed.split(" ")));
    all.addAll(List.of("--store", store().toString()));
    int code = line.execute(all.toArray(String[]::new));
    return new Ended(code, out.toString().strip(), err.toString().strip());
  }

  private List<Path> files() throws IOException {
    if (!Files.exists(store())) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(store())) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private long acts() {
    return run("cluster acts").out().lines().count();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "grant add --principal p --catalog main read",
        "grant remove --principal p --catalog main read",
        "grant list",
        "tenant list",
        "tenant remove main",
        "cluster acts",
        "cluster acts --prune-before 2026-01-01 --yes",
        "cluster show",
        "cluster move --here --yes",
        "wal list",
        "table adopt main.shop.orders",
      })
  void aMistypedStoreIsRefusedAndNothingIsWrittenThere(String typed) throws IOException {
    Ended ended = run(typed);
    assertEquals(3, ended.code(), ended.err());
    assertTrue(ended.err().contains("cluster-unknown: there is no cluster at"), ended.err());
    assertTrue(ended.err().contains("check --store"), ended.err());
    assertEquals(List.of(), files());
  }

  private void act(String at, String what) {
    Time then = new FixedTime(Instant.parse(at));
    try (ObjectStore store = ObjectStores.open(store().toString(), StoreOptions.defaults())) {
      new OperatorActs(store, then, Ids.secure()).note(what, List.of("main"), Map.of());
    }
  }

  @Test
  void actsBeforeADayArePrunedAndThatIsAnActItself() {
    cluster();
    act("2025-12-31T23:59:59.999Z", "add-grant");
    act("2026-01-01T00:00:00Z", "remove-grant");
    Ended unsure = run("cluster acts --prune-before 2026-01-01");
    assertTrue(unsure.err().contains("not-confirmed: "), unsure.err());
    Ended later = run("cluster acts --prune-before 2999-01-01 --yes");
    assertTrue(later.err().contains("option-invalid: --prune-before"), later.err());
    assertEquals(2, acts());
    assertEquals("acts pruned: 1", run("cluster acts --prune-before 2026-01-01 --yes").out());
    List<String> left = run("cluster acts").out().lines().toList();
    assertEquals(2, left.size());
    assertTrue(left.getFirst().contains("remove-grant"), left.toString());
    assertTrue(left.getLast().contains("prune-acts"), left.toString());
    assertTrue(left.getLast().contains("2026-01-01"), left.toString());
  }

  /** The wall clock stands. */
  private record FixedTime(Instant now) implements Time {
    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public void sleep(Duration duration) {}

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      return false;
    }
  }

  @Test
  void theFirstCatalogMakesTheClusterAndSaysSo() {
    Ended added = run("tenant add main --secret env://S --no-check");
    assertEquals(0, added.code(), added.err());
    assertTrue(added.err().contains("there was no cluster at"), added.err());
    assertFalse(
        run("tenant add two --secret env://T --no-check").err().contains("there was no cluster"));
  }

  @Test
  void aCatalogThatIsThereAlreadyIsNotAddedAgain() {
    assertEquals("registered main", run("tenant add main --secret env://S --no-check").out());
    Ended again = run("tenant add main --secret env://S --no-check");
    assertEquals(0, again.code());
    assertTrue(again.out().contains("already; nothing was done"), again.out());
    assertEquals(1, acts());
  }

  @Test
  void aSecondNameForASecretIsPointedOut() {
    run("tenant add main --secret env://S --no-check");
    Ended second = run("tenant add two --secret env://S --no-check");
    assertEquals(0, second.code());
    assertTrue(second.err().contains("catalog main has this secret as well"), second.err());
  }

  @Test
  void whatIsNotGrantedCanNotBeTakenBack() {
    cluster();
    run("grant add --principal loader --catalog main write");
    long before = acts();
    Ended mistyped = run("grant remove --principal loder --catalog main write");
    assertEquals(3, mistyped.code());
    assertTrue(
        mistyped
            .err()
            .contains("grant-unknown: principal loder was granted none of these on main;"),
        mistyped.err());
    Ended narrower = run("grant remove --principal loader --catalog main --namespace shop write");
    assertEquals(3, narrower.code());
    assertTrue(
        narrower.err().contains("but principal loader: write on main, which holds there too"),
        narrower.err());
    assertEquals(before, acts(), "nothing was done, so nothing is noted");
    assertEquals(3, run("grant remove --principal loader --catalog main read").code());
    assertEquals(0, run("grant remove --principal loader --catalog main write").code());
    assertEquals("", run("grant list").out());
  }

  @Test
  void whoMayStillByAWiderGrantIsSaid() {
    cluster();
    run("grant add --principal loader --catalog main write");
    run("grant add --principal loader --catalog main --namespace shop write");
    Ended removed = run("grant remove --principal loader --catalog main --namespace shop write");
    assertEquals(0, removed.code());
    assertTrue(removed.out().startsWith("nothing is granted to principal loader on"));
    assertTrue(removed.out().contains("but principal loader: write on main"), removed.out());
  }

  @Test
  void aGrantOnACatalogThatIsNotRegisteredIsPointedOut() {
    run("tenant add main --secret env://S --no-check");
    Ended mistyped = run("grant add --principal p --catalog mian read");
    assertEquals(0, mistyped.code());
    assertTrue(mistyped.err().contains("no catalog mian is registered"), mistyped.err());
    assertFalse(run("grant add --principal p --catalog main read").err().contains("registered"));
  }

  @Test
  void grantsAreToldAsJson() throws IOException {
    cluster();
    String about = " --principal p --catalog main read --json";
    ObjectMapper json = new ObjectMapper();
    assertEquals(
        "[\"read\"]", json.readTree(run("grant add" + about).out()).path("privileges").toString());
    assertEquals(
        "[]", json.readTree(run("grant remove" + about).out()).path("privileges").toString());
  }

  /** docs/operations.md says so. */
  @Test
  void everyCommandThatOpensTheStoreHasJson() {
    for (String group : List.of("cluster", "grant", "tenant", "queue", "wal", "table")) {
      CommandLine line = Wings.commandLine().getSubcommands().get(group);
      assertNotNull(line);
      line.getSubcommands()
          .forEach(
              (name, command) -> {
                if (command.getCommandSpec().findOption("--store") != null) {
                  assertNotNull(command.getCommandSpec().findOption("--json"), group + " " + name);
                }
              });
    }
  }
}
