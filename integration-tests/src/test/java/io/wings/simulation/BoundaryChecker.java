package io.wings.simulation;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Boundaries only grow, never past the watermark, and are never deleted. */
final class BoundaryChecker implements SimulatedS3.Observer {
  private static final Pattern NUMBER = Pattern.compile("\"number\"\\s*:\\s*([0-9]+)");

  private final World world;
  private final Map<String, Long> numbers = new HashMap<>();

  BoundaryChecker(World world) {
    this.world = world;
  }

  long of(LaneId lane) {
    return numbers.getOrDefault(Keys.boundary(lane), 0L);
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    if (!key.endsWith("/boundary")) {
      return;
    }
    Matcher number = NUMBER.matcher(new String(bytes, StandardCharsets.UTF_8));
    long now = number.find() ? Long.parseLong(number.group(1)) : 0;
    long before = numbers.getOrDefault(key, 0L);
    if (now < before) {
      world.violated(by.name() + " took a boundary back from " + before + " to " + now);
    }
    numbers.put(key, now);
    String[] parts = key.split("/", -1);
    int lane = Integer.parseInt(parts[parts.length - 2]);
    UUID table = UUID.fromString(parts[parts.length - 4]);
    if (world.table().is(table) && now > world.table().watermark(lane)) {
      world.violated(
          "%s took the boundary of lane %d to %d, beyond the watermark %d"
              .formatted(by.name(), lane, now, world.table().watermark(lane)));
    }
  }

  @Override
  public void deleted(SimulatedProcess by, String key) {
    if (key.endsWith("/boundary")) {
      world.violated(by.name() + " deleted " + key);
    }
  }
}
