package io.wings.catalog.rest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Something of which there is so much, and so much at most for each payer, so that one that is
 * slow, or many of it, leave room for the others.
 */
final class Shares {
  private final int all;
  private final int each;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Integer> byPayer = new HashMap<>();
  private int taken;

  /**
   * @param all that there is
   * @param each what one payer may have of it
   */
  Shares(int all, int each) {
    this.all = all;
    this.each = each;
  }

  /** Takes, if there is room. What was taken is to be given back. */
  boolean tryTake(String payer, int wanted) {
    lock.lock();
    try {
      int own = byPayer.getOrDefault(payer, 0);
      if (taken + wanted > all || own + wanted > each) {
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
}
