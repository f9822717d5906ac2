package io.wings.common.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cas.Fence;
import io.wings.common.cas.FencedCodec.Fenced;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The golden file is what version 1 looks like; a change of it is a new version. */
class QueueCodecTest {
  private static final String GOLDEN = "/queue/queue-v1.json";

  private final QueueCodec codec = new QueueCodec();

  private static byte[] golden() throws IOException {
    try (InputStream in = QueueCodecTest.class.getResourceAsStream(GOLDEN)) {
      if (in == null) {
        throw new IOException("no " + GOLDEN);
      }
      return in.readAllBytes();
    }
  }

  private static Fence fence() {
    return new Fence(
        7,
        "00000000000000000000000000000007",
        new TreeMap<>(
            Map.of(
                5L, "00000000000000000000000000000005",
                6L, "00000000000000000000000000000006")));
  }

  private static QueueFile file() {
    String key = "materialize/main/0b0f4a3e-6c52-4a35-9c6e-2f0d3b1f9a11";
    return new QueueFile(
        "broker-0.wings:8816",
        "2026-11-30T12:00:00.250Z",
        List.of(
            new StoredTask(
                "compact",
                "compact/main/1",
                null,
                Map.of(),
                new StoredTask.Parked(true),
                8,
                0,
                "no space left: \"data\"\n",
                "2026-11-30T11:00:00Z"),
            new StoredTask(
                "from-the-future",
                "x",
                null,
                Map.of(),
                new StoredTask.Waiting(Duration.ZERO),
                0,
                0,
                null,
                "2026-11-30T11:00:00Z"),
            new StoredTask(
                "materialize",
                key,
                key,
                Map.of("namespace", "sales", "name", "orders", "catalog", "main"),
                new StoredTask.Leased(
                    "0000000000000000000000000000000a", "worker-1", true, Duration.ofSeconds(5)),
                0,
                2,
                null,
                "2026-11-30T11:59:58Z"),
            new StoredTask(
                "sweep",
                "sweep",
                "sweep",
                Map.of(),
                new StoredTask.Waiting(Duration.ofMillis(41_300)),
                1,
                0,
                "store unavailable",
                "2026-11-30T11:59:41.300Z")));
  }

  @Test
  void writesTheGoldenFile() throws IOException {
    assertEquals(
        new String(golden(), StandardCharsets.UTF_8),
        new String(codec.encode(fence(), file()).toBytes(), StandardCharsets.UTF_8));
  }

  @Test
  void readsTheGoldenFile() throws IOException {
    Fenced<QueueFile> read = codec.decode(golden());
    assertEquals(fence(), read.fence());
    assertEquals(file(), read.value());
    assertArrayEquals(golden(), codec.encode(read.fence(), read.value()).toBytes());
  }

  @Test
  void readsTheBrokerFromTheStartOfTheFile() throws IOException {
    byte[] start = Arrays.copyOf(golden(), 400);
    assertEquals(new QueueFile.Broker("broker-0.wings:8816", 7), QueueCodec.decodeBroker(start));
  }

  @Test
  void theLongestHeaderFitsTheBytesThatClientsRead() {
    TreeMap<Long, String> earlier = new TreeMap<>();
    for (long i = 1; i <= Fence.MAX_EARLIER; i++) {
      earlier.put(Long.MAX_VALUE - i, "f".repeat(32));
    }
    Fence fence = new Fence(Long.MAX_VALUE, "f".repeat(32), earlier);
    QueueFile file = new QueueFile("h".repeat(253) + ":65535", "now", file().tasks());
    byte[] bytes = codec.encode(fence, file).toBytes();
    byte[] start = Arrays.copyOf(bytes, Math.min(bytes.length, QueueCodec.HEADER_BYTES));
    assertEquals(Long.MAX_VALUE, QueueCodec.decodeBroker(start).epoch());
    assertTrue(
        new String(bytes, StandardCharsets.UTF_8).indexOf("written_at")
            < QueueCodec.HEADER_BYTES / 4);
  }

  /** Trap 30: a task kind that this version doesn't know is dropped. */
  @Test
  void keepsATaskOfAKindThatItDoesNotKnow() throws IOException {
    assertTrue(
        codec.decode(golden()).value().tasks().stream()
            .anyMatch(task -> task.kind().equals("from-the-future")));
  }

  @Test
  void theSizeOfATaskIsWhatItAddsToTheFile() {
    int without = codec.encode(fence(), new QueueFile("a:1", "now", List.of())).toBytes().length;
    int sum = file().tasks().stream().mapToInt(QueueCodec::encodedSize).sum();
    int with = codec.encode(fence(), new QueueFile("a:1", "now", file().tasks())).toBytes().length;
    assertTrue(
        with - without <= sum && with - without >= sum - 2, with + " " + without + " " + sum);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "\"version\":1|\"version\":2|queue-version",
        "\"version\":1|\"version\":\"1\"|queue-version",
        "wings-queue|wings-cluster|queue-corrupt",
        "\"format\":|\"fromat\":|queue-corrupt",
        "\"failures\":8|\"failures\":8,\"colour\":1|queue-corrupt",
        "\"failures\":8|\"failures\":8,\"failures\":9|queue-corrupt",
        "\"failures\":8|\"failures\":-8|queue-corrupt",
        "\"failures\":8|\"failures\":8.5|queue-corrupt",
        "\"failures\":8|\"failures\":\"8\"|queue-corrupt",
        "\"failures\":8,|| queue-corrupt",
        "\"state\":\"parked\"|\"state\":\"leased\"|queue-corrupt",
        "\"state\":\"parked\"|\"state\":\"asleep\"|queue-corrupt",
        "\"state\":\"parked\"|\"state\":null|queue-corrupt",
        "\"marked\":true|\"marked\":true,\"runs_in_ms\":1|queue-corrupt",
        "\"runs_in_ms\":41300|\"runs_in_ms\":-1|queue-corrupt",
        "\"key\":\"x\"|\"key\":\"sweep\"|queue-corrupt",
        "\"epoch\":7|\"epoch\":0|queue-corrupt",
        "\"epoch\":7|\"epoch\":6|queue-corrupt",
        "\"epoch\":5|\"epoch\":6|queue-corrupt",
        "\"put_id\":\"00000000000000000000000000000007\",|| queue-corrupt",
      })
  void refusesWhatItCannotRead(String before, String after, String code) throws IOException {
    String text = new String(golden(), StandardCharsets.UTF_8);
    assertTrue(text.contains(before), before);
    String broken = text.replace(before, after == null ? "" : after);
    WingsException error =
        assertThrows(
            WingsException.class, () -> codec.decode(broken.getBytes(StandardCharsets.UTF_8)));
    assertEquals(code.strip(), error.code());
  }

  @Test
  void refusesEveryPrefixOfAFile() throws IOException {
    byte[] whole = golden();
    for (int length = 0; length < whole.length - 2; length++) {
      byte[] prefix = Arrays.copyOf(whole, length);
      WingsException error = assertThrows(WingsException.class, () -> codec.decode(prefix));
      assertEquals("queue-corrupt", error.code());
    }
    byte[] longer = Arrays.copyOf(whole, whole.length + 1);
    longer[whole.length] = '{';
    assertThrows(WingsException.class, () -> codec.decode(longer));
  }

  @Test
  void refusesTwoLeasesInOneGroup() {
    StoredTask one = file().tasks().get(2);
    StoredTask.Leased other = new StoredTask.Leased("b", "w", false, null);
    StoredTask two =
        new StoredTask(
            one.kind(), "other", one.group(), Map.of(), other, 0, 0, null, "2026-11-30T11:00:00Z");
    byte[] bytes = codec.encode(fence(), new QueueFile("a:1", "now", List.of(one, two))).toBytes();
    WingsException error = assertThrows(WingsException.class, () -> codec.decode(bytes));
    assertEquals("queue-corrupt", error.code());
  }
}
