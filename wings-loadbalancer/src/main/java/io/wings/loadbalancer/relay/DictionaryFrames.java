package io.wings.loadbalancer.relay;

import java.util.ArrayList;
import java.util.List;

/**
 * The dictionaries of a stream as of its oldest unanswered batch, as the messages that make them,
 * in order. A replaced one goes, unless dictionaries are written against each other: then what came
 * before it was read against the old one, and everything stays.
 */
final class DictionaryFrames<F> {
  private final List<Frame<F>> frames = new ArrayList<>();
  private long bytes;

  /**
   * Goes on by one message.
   *
   * @return bytes that are no longer kept
   */
  long add(Frame<F> frame, boolean nested) {
    long before = kept();
    if (frame.kind() instanceof Frame.Dictionary(long id, boolean delta) && !delta && !nested) {
      boolean _ =
          frames.removeIf(
              old -> old.kind() instanceof Frame.Dictionary(long other, boolean _) && other == id);
    }
    long freed = before - kept();
    frames.add(frame);
    bytes += frame.bytes() - freed;
    return freed;
  }

  private long kept() {
    return frames.stream().mapToLong(Frame::bytes).sum();
  }

  long bytes() {
    return bytes;
  }

  int size() {
    return frames.size();
  }

  Frame<F> get(int index) {
    return frames.get(index);
  }
}
