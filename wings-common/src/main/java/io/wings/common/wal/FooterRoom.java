package io.wings.common.wal;

import java.util.concurrent.Semaphore;

/**
 * Room for footers that were read and aren't applied yet, in bytes: of all that a process opens at
 * the same time. A footer takes several times its length once it is decoded. One that is longer
 * than all the room comes when it is alone.
 *
 * <p>Nobody waits here for room who keeps some that is given back only later: so somebody always
 * goes on.
 */
final class FooterRoom {
  /** Of one process. */
  static final int DEFAULT_BYTES = 16 << 20;

  private final int bytes;
  private final Semaphore free;

  FooterRoom(int bytes) {
    this.bytes = bytes;
    this.free = new Semaphore(bytes, true);
  }

  /**
   * Waits for room.
   *
   * @return what to give back
   */
  int take(int length) throws InterruptedException {
    int taken = Math.min(length, bytes);
    free.acquire(taken);
    return taken;
  }

  void giveBack(int taken) {
    free.release(taken);
  }
}
