package io.wings.loadbalancer.relay;

import java.util.List;

/** A batch that isn't answered, behind the dictionaries that came before it. */
final class Unit<F> {
  final List<Frame<F>> frames;
  final long sequence;

  /** Calls that it was, at least in part, sent on, under the stream's present name. */
  int sent;

  /** Dying ingestors that had it. */
  int deaths;

  Unit(List<Frame<F>> frames, long sequence) {
    this.frames = List.copyOf(frames);
    this.sequence = sequence;
  }

  List<Frame<F>> dictionaries() {
    return frames.subList(0, frames.size() - 1);
  }

  Frame<F> batch() {
    return frames.getLast();
  }
}
