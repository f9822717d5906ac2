package io.wings.ingestor.lane;

/** Takes the results of one session. */
@FunctionalInterface
public interface LaneListener {
  /**
   * Called on the lane's thread, in the order of submission for each producer; must not block and
   * must not call the session.
   */
  void decided(LaneResult result);

  /** Another ingestor writes the same lane; the user had better go where the others are. */
  default void contended() {}
}
