package io.wings.ingestor.lane;

import io.wings.common.cluster.CatalogName;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes that may wait in this process, in three levels: process, tenant, session. Who asks for more
 * waits; first come, first served, except that one who waits for its own tenant or session holds up
 * nobody else. One request larger than a level is let through when the level is empty.
 */
final class ByteBudget {
  private final ReentrantLock lock = new ReentrantLock();
  private final Level process;
  private final long tenantBytes;
  private final long sessionBytes;
  private final Map<CatalogName, Level> tenants = new HashMap<>();
  private final Deque<Waiter> waiters = new ArrayDeque<>();

  ByteBudget(long processBytes, long tenantBytes, long sessionBytes) {
    this.process = new Level(processBytes);
    this.tenantBytes = tenantBytes;
    this.sessionBytes = sessionBytes;
  }

  private static final class Level {
    private final long cap;
    private long used;
    private int accounts;

    private Level(long cap) {
      this.cap = cap;
    }

    private boolean fits(long bytes) {
      return used == 0 || used + bytes <= cap;
    }
  }

  private static final class Waiter {
    private final Account account;
    private final long bytes;
    private final Condition granted;
    private boolean done;

    private Waiter(Account account, long bytes, Condition granted) {
      this.account = account;
      this.bytes = bytes;
      this.granted = granted;
    }
  }

  /** What one session holds. */
  final class Account {
    private final CatalogName catalog;
    private final Level tenant;
    private final Level session = new Level(sessionBytes);
    private boolean closed;

    private Account(CatalogName catalog, Level tenant) {
      this.catalog = catalog;
      this.tenant = tenant;
    }

    /** Blocks until the bytes are granted. */
    void acquire(long bytes) throws InterruptedException {
      lock.lockInterruptibly();
      try {
        Waiter waiter = new Waiter(this, bytes, lock.newCondition());
        waiters.addLast(waiter);
        grant();
        try {
          while (!waiter.done) {
            waiter.granted.await();
          }
        } catch (InterruptedException e) {
          if (waiter.done) {
            add(-bytes);
          } else {
            waiters.remove(waiter);
          }
          grant();
          throw e;
        }
      } finally {
        lock.unlock();
      }
    }

    void release(long bytes) {
      lock.lock();
      try {
        add(-bytes);
        forgetIdle();
        grant();
      } finally {
        lock.unlock();
      }
    }

    /** No more is acquired; the tenant is forgotten with its last account and byte. */
    void close() {
      lock.lock();
      try {
        closed = true;
        forgetIdle();
      } finally {
        lock.unlock();
      }
    }

    private void add(long bytes) {
      process.used += bytes;
      tenant.used += bytes;
      session.used += bytes;
    }

    private void forgetIdle() {
      if (closed && session.used == 0) {
        closed = false;
        if (--tenant.accounts == 0) {
          tenants.remove(catalog);
        }
      }
    }
  }

  Account open(CatalogName catalog) {
    lock.lock();
    try {
      Level tenant = tenants.computeIfAbsent(catalog, _ -> new Level(tenantBytes));
      tenant.accounts++;
      return new Account(catalog, tenant);
    } finally {
      lock.unlock();
    }
  }

  /** Bytes held by all sessions. */
  long used() {
    lock.lock();
    try {
      return process.used;
    } finally {
      lock.unlock();
    }
  }

  private void grant() {
    Set<Level> full = new HashSet<>();
    for (Iterator<Waiter> it = waiters.iterator(); it.hasNext(); ) {
      Waiter waiter = it.next();
      Account account = waiter.account;
      if (full.contains(account.tenant) || full.contains(account.session)) {
        continue;
      }
      if (!account.session.fits(waiter.bytes)) {
        full.add(account.session);
      } else if (!account.tenant.fits(waiter.bytes)) {
        full.add(account.tenant);
      } else if (!process.fits(waiter.bytes)) {
        return;
      } else {
        it.remove();
        account.add(waiter.bytes);
        waiter.done = true;
        waiter.granted.signal();
      }
    }
  }
}
