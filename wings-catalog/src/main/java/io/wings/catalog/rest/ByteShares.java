package io.wings.catalog.rest;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory of bodies that are on their way, in chunks: bounded for all together, and for each peer to
 * half of that, so that one that is slow, or many of it, leave room for the others.
 */
final class ByteShares {
  static final int CHUNK_BYTES = 64 * 1024;

  private final int chunks;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<InetAddress, Integer> byPeer = new HashMap<>();
  private int taken;

  ByteShares(int chunks) {
    this.chunks = chunks;
  }

  /** Takes, if there is room. What was taken is to be given back. */
  boolean tryTake(InetAddress peer, int wanted) {
    lock.lock();
    try {
      int own = byPeer.getOrDefault(peer, 0);
      if (taken + wanted > chunks || own + wanted > chunks / 2) {
        return false;
      }
      taken += wanted;
      byPeer.put(peer, own + wanted);
      return true;
    } finally {
      lock.unlock();
    }
  }

  void give(InetAddress peer, int back) {
    lock.lock();
    try {
      taken -= back;
      byPeer.computeIfPresent(peer, (_, own) -> own == back ? null : own - back);
    } finally {
      lock.unlock();
    }
  }

  /** How many chunks so many bytes take; at least one. */
  static int chunks(long bytes) {
    return (int) Math.max(1, (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
  }
}
