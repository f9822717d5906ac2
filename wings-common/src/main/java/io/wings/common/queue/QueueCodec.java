package io.wings.common.queue;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.common.cas.Fence;
import io.wings.common.cas.FencedCodec;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.queue.StoredTask.Leased;
import io.wings.common.queue.StoredTask.Parked;
import io.wings.common.queue.StoredTask.Standing;
import io.wings.common.queue.StoredTask.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code queue.json}, both ways; see {@code docs/formats/queue.md}. One task is one line. Decoding
 * is strict: unknown, duplicate and missing keys are errors.
 */
public final class QueueCodec implements FencedCodec<QueueFile> {
  /** The version that this program reads and writes. */
  public static final int VERSION = 1;

  /** Enough of the file's start to hold everything before the tasks, in bytes. */
  public static final int HEADER_BYTES = 16 * 1024;

  private static final String FORMAT = "wings-queue";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .build();

  private static final ObjectReader HEADER =
      JSON.readerFor(BrokerJson.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private record EpochJson(
      @JsonProperty(required = true) long epoch, @JsonProperty(required = true) String putId) {}

  private record BrokerJson(
      @JsonProperty(required = true) String address,
      @JsonProperty(required = true) long epoch,
      @JsonProperty(required = true) String putId,
      @JsonProperty(required = true) List<EpochJson> earlier) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record LeaseJson(
      @JsonProperty(required = true) String id,
      @JsonProperty(required = true) String worker,
      @JsonProperty(required = true) boolean takenOver,
      @Nullable Long runsAgainInMs) {}

  /** Exactly one of {@code runsInMs}, {@code lease} and {@code marked} is there, by the state. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record TaskJson(
      @JsonProperty(required = true) String key,
      @JsonProperty(required = true) String kind,
      @Nullable String group,
      @JsonProperty(required = true) String state,
      @Nullable Long runsInMs,
      @Nullable LeaseJson lease,
      @Nullable Boolean marked,
      @JsonProperty(required = true) int failures,
      @JsonProperty(required = true) int expiries,
      @Nullable String error,
      @JsonProperty(required = true) Map<String, String> payload,
      @JsonProperty(required = true) String scheduledAt) {}

  private record FileJson(
      @JsonProperty(required = true) String format,
      @JsonProperty(required = true) int version,
      @JsonProperty(required = true) BrokerJson broker,
      @JsonProperty(required = true) String writtenAt,
      @JsonProperty(required = true) List<TaskJson> tasks) {}

  @Override
  public Body encode(Fence fence, QueueFile file) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(1024 + 512 * file.tasks().size());
    text(out, "{\n\"format\":\"" + FORMAT + "\",\n\"version\":" + VERSION + ",\n\"broker\":");
    json(out, brokerJson(fence, file.address()));
    text(out, ",\n\"written_at\":");
    json(out, file.writtenAt());
    text(out, ",\n\"tasks\":[");
    String separator = "\n";
    for (StoredTask task : file.tasks()) {
      text(out, separator);
      json(out, taskJson(task));
      separator = ",\n";
    }
    text(out, "\n]\n}\n");
    return Body.of(out.toByteArray());
  }

  /** What a task adds to the file, in bytes. */
  public static int encodedSize(StoredTask task) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    json(out, taskJson(task));
    return out.size() + 2;
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void json(ByteArrayOutputStream out, Object value) {
    try {
      out.writeBytes(JSON.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new WingsException(
          ErrorKind.INTERNAL, "queue-encode-failed", "a queue entry can't be written as JSON", e);
    }
  }

  private static BrokerJson brokerJson(Fence fence, String address) {
    List<EpochJson> earlier = new ArrayList<>();
    fence.earlier().forEach((epoch, putId) -> earlier.add(new EpochJson(epoch, putId)));
    return new BrokerJson(address, fence.epoch(), fence.putId(), earlier);
  }

  private static TaskJson taskJson(StoredTask task) {
    String state;
    Long runsInMs = null;
    LeaseJson lease = null;
    Boolean marked = null;
    switch (task.standing()) {
      case Waiting(Duration runsIn) -> {
        state = "waiting";
        runsInMs = runsIn.toMillis();
      }
      case Leased(String id, String worker, boolean takenOver, Duration runsAgainIn) -> {
        state = "leased";
        lease =
            new LeaseJson(
                id, worker, takenOver, runsAgainIn == null ? null : runsAgainIn.toMillis());
      }
      case Parked(boolean mark) -> {
        state = "parked";
        marked = mark;
      }
    }
    return new TaskJson(
        task.key(),
        task.kind(),
        task.group(),
        state,
        runsInMs,
        lease,
        marked,
        task.failures(),
        task.expiries(),
        task.error(),
        task.payload(),
        task.scheduledAt());
  }

  @Override
  public Fenced<QueueFile> decode(byte[] bytes) {
    requireVersion(bytes);
    FileJson file;
    try {
      file = JSON.readValue(bytes, FileJson.class);
    } catch (IOException e) {
      throw corrupt(reason(e), e);
    }
    List<StoredTask> tasks = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    Set<String> leases = new HashSet<>();
    Set<String> groups = new HashSet<>();
    for (TaskJson json : required("tasks", file.tasks())) {
      StoredTask task = task(required("task", json));
      if (!keys.add(task.key())) {
        throw corrupt("two tasks have the key " + task.key(), null);
      }
      if (task.standing() instanceof Leased lease) {
        if (!leases.add(lease.id())) {
          throw corrupt("two tasks have the lease " + lease.id(), null);
        }
        if (task.group() != null && !groups.add(task.group())) {
          throw corrupt("two tasks of the group " + task.group() + " are leased", null);
        }
      }
      tasks.add(task);
    }
    BrokerJson broker = required("broker", file.broker());
    return new Fenced<>(
        fence(broker),
        new QueueFile(
            required("address", broker.address()),
            required("written_at", file.writtenAt()),
            tasks));
  }

  /**
   * Reads only who the broker is.
   *
   * @param start the file's first {@link #HEADER_BYTES} bytes, or all of it
   * @throws WingsException {@code queue-corrupt}, {@code queue-version}
   */
  public static QueueFile.Broker decodeBroker(byte[] start) {
    try (JsonParser parser = JSON.createParser(start)) {
      readVersion(parser);
      requireField(parser, "broker");
      BrokerJson broker = required("broker", HEADER.<BrokerJson>readValue(parser));
      return new QueueFile.Broker(required("address", broker.address()), fence(broker).epoch());
    } catch (IOException e) {
      throw corrupt(reason(e), e);
    }
  }

  private static void requireVersion(byte[] bytes) {
    try (JsonParser parser = JSON.createParser(bytes)) {
      readVersion(parser);
    } catch (IOException e) {
      throw corrupt(reason(e), e);
    }
  }

  /** Format and version stand first, so that another version is told from a broken file. */
  private static void readVersion(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw corrupt("expected an object", null);
    }
    requireField(parser, "format");
    if (!FORMAT.equals(parser.getValueAsString())) {
      throw corrupt("expected format " + FORMAT + ", got " + parser.getValueAsString(), null);
    }
    requireField(parser, "version");
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT || parser.getIntValue() != VERSION) {
      throw WingsException.corrupt(
          "queue-version",
          "queue.json: expected version "
              + VERSION
              + ", got "
              + parser.getValueAsString()
              + "; run a version of Wings that knows it");
    }
  }

  private static void requireField(JsonParser parser, String name) throws IOException {
    if (!name.equals(parser.nextFieldName())) {
      throw corrupt("expected the key '" + name + "', got '" + parser.currentName() + "'", null);
    }
    parser.nextToken();
  }

  private static Fence fence(BrokerJson broker) {
    TreeMap<Long, String> earlier = new TreeMap<>();
    for (EpochJson epoch : required("earlier", broker.earlier())) {
      required("earlier", epoch);
      if (earlier.put(epoch.epoch(), required("put_id", epoch.putId())) != null) {
        throw corrupt("epoch " + epoch.epoch() + " is there twice", null);
      }
    }
    try {
      return new Fence(broker.epoch(), required("put_id", broker.putId()), earlier);
    } catch (IllegalArgumentException e) {
      throw corrupt(e.getMessage(), e);
    }
  }

  private static StoredTask task(TaskJson json) {
    String key = required("key", json.key());
    if (json.failures() < 0 || json.expiries() < 0) {
      throw corrupt("negative count in task " + key, null);
    }
    Map<String, String> payload = required("payload", json.payload());
    payload.forEach((name, value) -> required("payload of task " + key, value));
    return new StoredTask(
        required("kind", json.kind()),
        key,
        json.group(),
        payload,
        standing(json, key),
        json.failures(),
        json.expiries(),
        json.error(),
        required("scheduled_at", json.scheduledAt()));
  }

  private static Standing standing(TaskJson json, String key) {
    LeaseJson lease = json.lease();
    int given =
        (json.runsInMs() == null ? 0 : 1)
            + (lease == null ? 0 : 1)
            + (json.marked() == null ? 0 : 1);
    Standing standing =
        switch (required("state", json.state())) {
          case "waiting" -> json.runsInMs() == null ? null : new Waiting(millis(json.runsInMs()));
          case "leased" -> lease == null ? null : leased(lease);
          case "parked" -> json.marked() == null ? null : new Parked(json.marked());
          default -> throw corrupt("task " + key + " has the state " + json.state(), null);
        };
    if (standing == null || given != 1) {
      throw corrupt("task " + key + " is " + json.state() + " but not told how", null);
    }
    return standing;
  }

  private static Leased leased(LeaseJson json) {
    return new Leased(
        required("id", json.id()),
        required("worker", json.worker()),
        json.takenOver(),
        json.runsAgainInMs() == null ? null : millis(json.runsAgainInMs()));
  }

  private static Duration millis(long millis) {
    if (millis < 0) {
      throw corrupt("negative duration " + millis, null);
    }
    return Duration.ofMillis(millis);
  }

  private static <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw corrupt("'" + name + "' is missing or null", null);
    }
    return value;
  }

  /** Without Jackson's remarks about its own settings. */
  private static String reason(IOException e) {
    if (!(e instanceof JsonProcessingException json)) {
      return String.valueOf(e.getMessage());
    }
    JsonLocation at = json.getLocation();
    String where = at == null ? "" : ", line " + at.getLineNr() + " column " + at.getColumnNr();
    return json.getOriginalMessage() + where;
  }

  private static WingsException corrupt(@Nullable String detail, @Nullable Throwable cause) {
    return new WingsException(
        ErrorKind.CORRUPT,
        "queue-corrupt",
        "queue.json: " + detail + "; mend it, or remove it: the sweep finds all work again",
        cause);
  }
}
