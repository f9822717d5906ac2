package io.wings.common.objectstore.local;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoredObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A process that increments the object {@code counter} so many times and tries to create one object
 * for each; it prints how many it created.
 */
final class LocalStoreIncrementer {
  private LocalStoreIncrementer() {}

  public static void main(String[] args) {
    int increments = Integer.parseInt(args[1]);
    int created = 0;
    try (ObjectStore store = LocalStore.open(Path.of(args[0]), Ids.secure())) {
      for (int done = 0; done < increments; ) {
        StoredObject now = store.get("counter").orElseThrow();
        int next = Integer.parseInt(new String(now.bytes(), StandardCharsets.UTF_8)) + 1;
        if (store.put("counter", body(next), PutCondition.ifVersion(now.version()))
            instanceof PutOutcome.Written) {
          done++;
          created +=
              store.put("numbers/" + done, body(next), PutCondition.ifAbsent())
                      instanceof PutOutcome.Written
                  ? 1
                  : 0;
        }
      }
    }
    System.out.println(created);
  }

  private static Body body(int number) {
    return Body.of(String.valueOf(number).getBytes(StandardCharsets.UTF_8));
  }
}
