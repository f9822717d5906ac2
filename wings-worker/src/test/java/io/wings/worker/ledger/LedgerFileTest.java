package io.wings.worker.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.catalog.commit.BaseListener;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerFileTest {
  private static final LedgerFile OPENED =
      new LedgerFile("w", "", "i", List.of(), "/d", "/m", false, 0, 0, -1, List.of());

  private static BaseListener.Post post(long snapshot, long sequence) {
    return new BaseListener.Post(snapshot, sequence, List.of());
  }

  /** Trap 22: a stale look, on which a post fails, hides no earlier post that may still land. */
  @Test
  void theBaseNeverGoesBackwards() {
    LedgerFile noted = OPENED.on(post(10, 10)).on(post(9, 9));
    assertEquals(10, noted.baseSnapshot());
    assertEquals(10, noted.baseSequence());
    assertEquals(11, noted.on(post(11, 11)).baseSequence());
  }
}
