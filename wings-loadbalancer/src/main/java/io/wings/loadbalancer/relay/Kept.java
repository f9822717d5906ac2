package io.wings.loadbalancer.relay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a stream: its first messages up to the schema, the dictionaries as of the oldest
 * unanswered batch, and the unanswered batches, each behind the dictionaries that came before it.
 */
final class Kept<F> {
  private final List<Frame<F>> prelude = new ArrayList<>();
  private final DictionaryFrames<F> dictionaries = new DictionaryFrames<>();
  private final List<Frame<F>> pending = new ArrayList<>();
  private final List<Unit<F>> units = new ArrayList<>();
  private long taken;
  private long answered;
  private boolean nested;
  private boolean complete;
  private long held;
  private long freed;
  private long preludeBytes;
  private long pendingBytes;

  /** Keeps a message, or drops what says nothing; behind which batch, if any, it waits. */
  @Nullable Unit<F> take(Frame<F> frame, long sequence) {
    held += frame.bytes();
    if (!complete) {
      begin(frame);
      return null;
    }
    return switch (frame.kind()) {
      case Frame.Blank _ -> {
        drop(frame);
        yield null;
      }
      case Frame.Dictionary _ -> {
        pending.add(frame);
        pendingBytes += frame.bytes();
        yield null;
      }
      case Frame.Schema _, Frame.Batch _ -> {
        pending.add(frame);
        Unit<F> unit = new Unit<>(pending, sequence);
        pending.clear();
        pendingBytes = 0;
        units.addLast(unit);
        taken++;
        yield unit;
      }
    };
  }

  private void begin(Frame<F> frame) {
    boolean blank = frame.kind() instanceof Frame.Blank;
    if (blank && !prelude.isEmpty()) {
      drop(frame);
      return;
    }
    if (frame.kind() instanceof Frame.Schema(boolean dictionariesAreNested)) {
      nested = dictionariesAreNested;
    }
    prelude.add(frame);
    preludeBytes += frame.bytes();
    complete = !blank;
  }

  /** Counts a message that isn't kept. */
  void pass(Frame<F> frame) {
    held += frame.bytes();
    drop(frame);
  }

  private void drop(Frame<F> frame) {
    held -= frame.bytes();
    freed += frame.bytes();
  }

  /** The oldest batch is answered. */
  void answered() {
    Unit<F> unit = units.removeFirst();
    answered++;
    for (Frame<F> dictionary : unit.dictionaries()) {
      long replaced = dictionaries.add(dictionary, nested);
      held -= replaced;
      freed += replaced;
    }
    drop(unit.batch());
  }

  /** Dictionaries whose batch will not come. */
  void dropPending() {
    pending.forEach(this::drop);
    pending.clear();
    pendingBytes = 0;
  }

  void clear() {
    freed += held;
    held = 0;
    prelude.clear();
    pending.clear();
    units.clear();
  }

  /** Whether the schema has come. */
  boolean isComplete() {
    return complete;
  }

  List<Frame<F>> prelude() {
    return prelude;
  }

  DictionaryFrames<F> dictionaries() {
    return dictionaries;
  }

  /** The unanswered batches, oldest first. */
  List<Unit<F>> units() {
    return units;
  }

  @Nullable Unit<F> oldest() {
    return units.isEmpty() ? null : units.getFirst();
  }

  /** Batches that were ever taken. */
  long taken() {
    return taken;
  }

  /** So many of them, the oldest ones, are answered. */
  long answeredCount() {
    return answered;
  }

  long held() {
    return held;
  }

  /** Bytes that stay, or will, when all batches are answered. */
  long lasting() {
    return preludeBytes + dictionaries.bytes() + pendingBytes;
  }

  /** Bytes that were given up since the last time. */
  long takeFreed() {
    long taken = freed;
    freed = 0;
    return taken;
  }
}
