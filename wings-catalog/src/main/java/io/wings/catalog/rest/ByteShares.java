package io.wings.catalog.rest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory of bodies that are on their way, in chunks: bounded for all together, and for each payer
 * to half of that, so that one that is slow, or many of it, leave room for the others. A payer is
 * the principal, or the address of one who isn't known.
 */
final class ByteShares {
  static final int CHUNK_BYTES = 64 * 1024;

  private final int chunks;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Integer> byPayer = new HashMap<>();
  private int taken;

  ByteShares(int chunks) {
    this.chunks = chunks;
  }

  /** Takes, if there is room. What was taken is to be given back. */
  boolean tryTake(String payer, int wanted) {
    lock.lock();
    try {
      int own = byPayer.getOrDefault(payer, 0);
      if (taken + wanted > chunks || own + wanted > chunks / 2) {
        return false;
      }
      taken += wanted;
      byPayer.put(payer, own + wanted);
      return true;
    } finally {
      lock.unlock();
    }
  }

  void give(String payer, int back) {
    lock.lock();
    try {
      taken -= back;
      byPayer.computeIfPresent(payer, (_, own) -> own == back ? null : own - back);
    } finally {
      lock.unlock();
    }
  }

  /** How many chunks so many bytes take; at least one. */
  static int chunks(long bytes) {
    return (int) Math.max(1, (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
  }
}
