package io.wings.simulation;

import io.wings.simulation.kernel.Trace;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * A seed of a workload, as its line of the report; played in the class loader that this is in.
 * Speaks the JDK's types only, so that it can be asked from another.
 */
final class Play implements BiFunction<String, Long, Map<String, Object>> {
  @Override
  public Map<String, Object> apply(String workload, Long seed) {
    Workload named = Workload.valueOf(workload.toUpperCase(Locale.ROOT));
    return Report.line(Run.of(named.scenario(seed), Wiring.PRODUCTION, Trace.hashed()));
  }
}
