package io.wings.loadbalancer.relay;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A batch that isn't answered, behind the dictionaries that came before it. */
final class Unit<F> {
  final List<Frame<F>> frames;
  final long sequence;

  /** Calls that it was, at least in part, sent on, under the stream's present name. */
  int sent;

  /** Calls that broke off with it, and whose ingestor wasn't seen to outlive them. */
  final Set<Integer> deaths = new HashSet<>();

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
