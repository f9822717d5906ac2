package io.wings.common.objectstore.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies on disk, and what several processes make of it. */
class LocalStoreFilesTest {
  private static final int PROCESSES = 3;
  private static final int INCREMENTS = 100;

  @TempDir Path directory;

  private ObjectStore store() {
    return LocalStore.open(directory, Ids.secure());
  }

  private static Body body(String text) {
    return Body.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private List<Path> hiddenFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).startsWith("."))
          .filter(Files::isRegularFile)
          .toList();
    }
  }

  @Test
  void anObjectReadsAsAPlainFile() throws IOException {
    store().put("a/queue.json", body("{}"), PutCondition.ifAbsent());
    assertEquals("{}", Files.readString(directory.resolve("a/queue.json")));
  }

  @Test
  void aReplacedOrRemovedObjectLeavesNothingBehind() throws IOException {
    ObjectStore store = store();
    store.put("k", body("1"), PutCondition.any());
    store.put("k", body("2"), PutCondition.any());
    store.put("k", body("3"), PutCondition.ifAbsent());
    store.put("k", body("4"), PutCondition.ifVersion("0"));
    assertEquals(1, hiddenFiles().size());
    store.delete("k");
    assertEquals(List.of(), hiddenFiles());
  }

  /** Trap 29: equal content written again is another version. */
  @Test
  void aVersionIsNeverUsedTwice() {
    ObjectStore store = store();
    store.put("k", body("same"), PutCondition.any());
    String first = store.head("k").orElseThrow().version();
    store.put("k", body("same"), PutCondition.any());
    assertNotEquals(first, store.head("k").orElseThrow().version());
    assertEquals(
        new PutOutcome.Lost(), store.put("k", body("late"), PutCondition.ifVersion(first)));
  }

  @Test
  void whatADeadProcessLeftHalfDoneIsNoObject() throws IOException {
    ObjectStore store = store();
    store.put("a/k", body("1"), PutCondition.any());
    String rest = ".other." + "0".repeat(32);
    Files.writeString(directory.resolve("a").resolve(rest), "half");
    Files.createSymbolicLink(directory.resolve("a").resolve(rest + ".link"), Path.of(rest));

    List<String> keys = new ArrayList<>();
    store.list("", "").forEachRemaining(head -> keys.add(head.key()));

    assertEquals(List.of("a/k"), keys);
    assertEquals(Optional.empty(), store.get("a/other"));
    assertInstanceOf(
        PutOutcome.Written.class, store.put("a/other", body("2"), PutCondition.ifAbsent()));
  }

  @Test
  void refusesFilesThatAreNotItsOwn() throws IOException {
    Files.writeString(directory.resolve("plain"), "x");
    Files.createSymbolicLink(directory.resolve("link"), Path.of("plain"));
    for (String key : List.of("plain", "link")) {
      StoreException thrown = assertThrows(StoreException.class, () -> store().get(key));
      assertTrue(thrown.toString().contains("not an object of this store"), thrown.toString());
    }
  }

  @Test
  void aDirectoryThatCanNotBeMadeIsAnError() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThrows(StoreException.class, () -> LocalStore.open(file.resolve("below"), Ids.secure()));
  }

  @Test
  void aMovedStoreKeepsItsObjects(@TempDir Path elsewhere) throws IOException {
    store().put("a/k", body("1"), PutCondition.ifAbsent());
    Path moved = elsewhere.resolve("moved");
    Files.move(directory, moved);
    try (ObjectStore store = LocalStore.open(moved, Ids.secure())) {
      assertEquals(1, store.get("a/k").orElseThrow().bytes().length);
    }
    Files.createDirectory(directory);
  }

  @Test
  void processesLoseNoUpdateAndShareNoNumber() throws Exception {
    ObjectStore store = store();
    store.put("counter", body("0"), PutCondition.ifAbsent());
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(incrementer(INCREMENTS));
    }
    int created = 0;
    for (Process process : processes) {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(1, TimeUnit.MINUTES));
      assertEquals(0, process.exitValue(), said);
      created += Integer.parseInt(said.strip());
    }
    assertEquals(PROCESSES * INCREMENTS, counter(store));
    assertEquals(INCREMENTS, created, "each number has one winner");
  }

  @Test
  void aKilledProcessLeavesAStoreThatOthersGoOnWith() throws Exception {
    ObjectStore store = store();
    store.put("counter", body("0"), PutCondition.ifAbsent());
    for (int round = 0; round < 3; round++) {
      int before = counter(store);
      Process process = incrementer(1_000_000);
      while (counter(store) < before + 20) {
        assertTrue(process.isAlive());
        TimeUnit.MILLISECONDS.sleep(5);
      }
      process.destroyForcibly().waitFor();

      int after = counter(store);
      String version = store.head("counter").orElseThrow().version();
      assertInstanceOf(
          PutOutcome.Written.class,
          store.put("counter", body(String.valueOf(after + 1)), PutCondition.ifVersion(version)));
      assertFalse(counter(store) < before + 20);
    }
  }

  private static int counter(ObjectStore store) {
    return Integer.parseInt(
        new String(store.get("counter").orElseThrow().bytes(), StandardCharsets.UTF_8));
  }

  private Process incrementer(int increments) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            LocalStoreIncrementer.class.getName(),
            directory.toString(),
            String.valueOf(increments))
        .redirectErrorStream(true)
        .start();
  }
}
