package io.wings.worker.engine;

import java.util.BitSet;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.BaseListVector;

/**
 * Which slots of a vector hold data: those that no null parent hides and, below a list, that an
 * element of it refers to. What stands in other slots is arbitrary. Asked only where a slot looks
 * wrong, so it is worked out only then.
 */
@FunctionalInterface
interface Slots {
  /** Every slot: those of a batch's own columns. */
  Slots ALL = slot -> true;

  boolean live(int slot);

  /** Slots of a struct's children. */
  default Slots inStruct(FieldVector struct) {
    return slot -> live(slot) && !struct.isNull(slot);
  }

  /** Slots of a list's elements, or of a map's entries. */
  default Slots inList(BaseListVector list) {
    Slots parent = this;
    return new Slots() {
      private final BitSet live = new BitSet();
      private boolean known;

      @Override
      public boolean live(int slot) {
        if (!known) {
          known = true;
          for (int i = 0; i < list.getValueCount(); i++) {
            if (parent.live(i) && !list.isNull(i)) {
              live.set(list.getElementStartIndex(i), list.getElementEndIndex(i));
            }
          }
        }
        return live.get(slot);
      }
    };
  }
}
