package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.broker.core.Reply;
import io.wings.common.cas.FencedCodec.Fenced;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.StoredTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sees every write of {@code queue.json} as it lands and every read as it happens, and holds the
 * brokers to what they may answer.
 */
final class Witness {
  /**
   * At some moment after {@code begun}, the object was as {@code who} had written it.
   *
   * @param begun when the call that showed it was sent
   */
  private record Proof(Object who, long begun, long epoch) {}

  private final QueueCodec codec = new QueueCodec();
  private final List<Proof> proofs = new ArrayList<>();
  private final Map<Long, Object> holderOfEpoch = new HashMap<>();
  private final Set<String> landedLeases = new HashSet<>();
  private long epoch;

  void wrote(Object who, long begun, byte[] bytes) {
    Fenced<QueueFile> file = codec.decode(bytes);
    long next = file.fence().epoch();
    assertTrue(next == epoch || next == epoch + 1, "epoch " + epoch + " then " + next);
    if (next == epoch) {
      assertEquals(holderOfEpoch.get(epoch), who, "a write in another's epoch");
    }
    epoch = next;
    holderOfEpoch.put(next, who);
    for (StoredTask task : file.value().tasks()) {
      if (task.standing() instanceof StoredTask.Leased lease) {
        landedLeases.add(lease.id());
      }
    }
    assertTrue(
        file.value().tasks().stream().anyMatch(task -> task.key().equals("sweep")), "no sweep");
    proofs.add(new Proof(who, begun, next));
  }

  void read(Object who, long begun, Optional<StoredObject> found) {
    if (found.isPresent()) {
      long seen = codec.decode(found.get().bytes()).fence().epoch();
      if (who.equals(holderOfEpoch.get(seen))) {
        proofs.add(new Proof(who, begun, seen));
      }
    }
  }

  /** {@code who} has answered a call of {@code epoch} that came at {@code submitted}. */
  void answered(Object who, long callEpoch, long submitted, Reply reply) {
    boolean proven = false;
    for (Proof proof : proofs.reversed()) {
      if (proof.who.equals(who) && proof.epoch == callEpoch && proof.begun >= submitted) {
        proven = true;
        break;
      }
    }
    assertTrue(proven, "answered from memory: " + reply);
    if (reply instanceof Reply.Granted(List<Lease> leases)) {
      for (Lease lease : leases) {
        assertTrue(landedLeases.contains(lease.id()), "granted before it landed: " + lease);
      }
    }
  }

  /** A person removed the object, or put something else there: epochs begin again. */
  void removed() {
    epoch = 0;
    proofs.clear();
    holderOfEpoch.clear();
  }

  long epoch() {
    return epoch;
  }
}
