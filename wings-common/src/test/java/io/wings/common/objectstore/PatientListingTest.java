package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PatientListingTest {
  private static final int KEYS = 40;

  private final MemoryStore objects = new MemoryStore();

  /** Calls of {@code list} or {@code hasNext} that come before the next one that fails. */
  private int well = 3;

  private boolean retryable = true;

  private final ObjectStore flaky =
      new ForwardingStore(objects) {
        @Override
        public Iterator<ObjectHead> list(String prefix, String startAfter) {
          mayFail();
          Iterator<ObjectHead> all = super.list(prefix, startAfter);
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              mayFail();
              return all.hasNext();
            }

            @Override
            public ObjectHead next() {
              return all.next();
            }
          };
        }
      };

  private int calls;

  private void mayFail() {
    calls++;
    if (calls % (well + 1) == 0) {
      throw new StoreException("503", retryable, null);
    }
  }

  private List<String> listed() {
    List<String> keys = new ArrayList<>();
    new PatientListing(flaky, "a/", new Retry(Time.system(), Ids.secure(), Backoff.NONE))
        .forEachRemaining(head -> keys.add(head.key()));
    return keys;
  }

  private List<String> filled() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      String key = "a/%03d".formatted(i);
      objects.put(key, Body.of(new byte[1]), PutCondition.any());
      keys.add(key);
    }
    return keys;
  }

  @Test
  void everyKeyComesOnceWhateverPagesFail() {
    assertEquals(filled(), listed());
  }

  @Test
  void aPrefixThatCantBeListedAtAllIsToldOf() {
    filled();
    well = 0;
    WingsException told = assertThrows(WingsException.class, this::listed);
    assertEquals("retries-exhausted", told.code());
    assertEquals(8, calls);
  }

  @Test
  void whatWontPassIsntTriedAgain() {
    filled();
    well = 0;
    retryable = false;
    assertThrows(StoreException.class, this::listed);
    assertEquals(1, calls);
  }
}
