package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.id.SeededIds;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TableFilesTest {
  private static final TableId TABLE = new TableId(new CatalogName("main"), new UUID(1, 2));

  /** As decision 8 wants: a key that came later may be missing. */
  @Test
  void readsWhatAVersionWithoutTheRetentionWrote() {
    MemoryStore store = new MemoryStore();
    String older =
        """
        {"namespace": ["db"], "name": "t", "incarnation": "00112233445566778899aabbccddeeff",
         "lanes": 1, "watermarks": [41], "quarantined": [[]], "put_id": "1"}
        """;
    store.put(
        Keys.tableJson(TABLE),
        Body.of(older.getBytes(StandardCharsets.UTF_8)),
        PutCondition.ifAbsent());

    TableFile file =
        new TableFiles(store, new UnhurriedTime(), new SeededIds(1)).read(TABLE).orElseThrow();

    assertEquals(41, file.watermarks().getFirst());
    assertNull(file.walRetentionSeconds());
    assertEquals(Duration.ofDays(1), file.walRetention());
  }
}
