package io.wings.loadbalancer.fleet;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/**
 * Rendezvous hashing: every node has a score for a key and the highest wins, so a node that goes
 * moves only its own keys, evenly to the others, and one that comes takes only what it wins.
 */
final class Rendezvous {
  private static final HashFunction HASH = Hashing.murmur3_128();

  private Rendezvous() {}

  /**
   * The node for {@code key}; empty when there are none.
   *
   * @param id a node's name, which all load balancers must agree on
   */
  static <T> Optional<T> choose(Collection<T> nodes, Function<T, String> id, String key) {
    return nodes.stream()
        .max(
            Comparator.<T>comparingLong(node -> score(id.apply(node), key))
                .thenComparing(id, Comparator.naturalOrder()));
  }

  private static long score(String node, String key) {
    return HASH.newHasher()
        .putString(node, StandardCharsets.UTF_8)
        .putByte((byte) 0)
        .putString(key, StandardCharsets.UTF_8)
        .hash()
        .asLong();
  }
}
