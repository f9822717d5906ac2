package io.wings.simulation.kernel;

import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs simulated threads one at a time on the thread that calls {@link #run}. The JDK hands every
 * continuation that becomes runnable to {@link #execute}; a seeded generator picks the next. When
 * none is runnable, time jumps to the next timer.
 */
public final class Scheduler implements Executor {
  /** How long a carrier waits for the JDK to hand back a thread that met a monitor held outside. */
  private static final long MONITOR_WAIT_MILLIS = 2_000;

  private static final int FRAMES_OF_A_DEADLOCK = 14;

  private static final ScopedValue<SimulatedThread> CURRENT = ScopedValue.newInstance();

  /** One thread of one process. */
  static final class SimulatedThread {
    final Scheduler scheduler;
    final SimulatedProcess process;
    final String name;
    @Nullable Thread thread;
    @Nullable Runnable continuation;

    SimulatedThread(Scheduler scheduler, SimulatedProcess process, String name) {
      this.scheduler = scheduler;
      this.process = process;
      this.name = name;
    }
  }

  private record Timer(long at, long order, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int by = Long.compare(at, other.at);
      return by != 0 ? by : Long.compare(order, other.order);
    }
  }

  private final Random choices;
  private final Random names;

  /**
   * Of what libraries draw themselves. Apart from the rest: a class that draws when it is
   * initialised does so in the first run of a JVM only.
   */
  private final Random libraryNames;

  private final Trace trace;
  private final ThreadFactory factory;
  private final List<SimulatedThread> ready = new ArrayList<>();
  private final IdentityHashMap<Runnable, SimulatedThread> continuations = new IdentityHashMap<>();
  private final Map<Runnable, Boolean> buried = new WeakHashMap<>();
  private final Set<SimulatedThread> live = new LinkedHashSet<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final LinkedBlockingQueue<SimulatedThread> fromOutside = new LinkedBlockingQueue<>();
  private final Deque<String> foreign = new ArrayDeque<>();

  /** The thread that runs this: the one that made it, until another calls {@link #run}. */
  private Thread carrier = Thread.currentThread();

  private @Nullable SimulatedThread starting;
  private @Nullable Throwable failure;
  private boolean stopped;
  private long now;
  private long timerCount;
  private long steps;
  private long lives;

  public Scheduler(long seed, Trace trace) {
    this.choices = new Random(seed);
    this.names = new Random(seed ^ 0x5DEECE66DL);
    this.libraryNames = new Random(seed ^ 0x2545F4914F6CDD1DL);
    this.trace = trace;
    this.factory = virtualThreadsOn(this);
  }

  private static ThreadFactory virtualThreadsOn(Executor executor) {
    try {
      Constructor<?> builder =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      builder.setAccessible(true);
      return ((Thread.Builder) builder.newInstance(executor)).factory();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("needs --add-opens java.base/java.lang=ALL-UNNAMED", e);
    }
  }

  /** The generator of all choices of this run. */
  public Random choices() {
    return choices;
  }

  /** The generator of ids, apart from the choices so that naming a thing changes no schedule. */
  Random names() {
    return names;
  }

  long nextLife() {
    return ++lives;
  }

  public Trace trace() {
    return trace;
  }

  /** Nanoseconds since the run began: the one true time, which no process knows. */
  public long now() {
    return now;
  }

  public long steps() {
    return steps;
  }

  /** Who woke a simulated thread from outside; empty in a deterministic run. */
  public List<String> foreign() {
    return List.copyOf(foreign);
  }

  public @Nullable Throwable failure() {
    return failure;
  }

  /** The process whose thread calls. */
  static @Nullable SimulatedThread current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
  }

  SimulatedThread requireCurrent() {
    SimulatedThread me = current();
    if (me == null || me.scheduler != this) {
      throw new IllegalStateException(
          "called from " + Thread.currentThread() + ", which is no thread of this simulation");
    }
    return me;
  }

  /**
   * Runs {@code action} on the carrier, between two steps, after {@code delay}; it must not block.
   */
  public void after(Duration delay, Runnable action) {
    at(now + Math.max(0, delay.toNanos()), action);
  }

  void at(long when, Runnable action) {
    timers.add(new Timer(Math.max(now, when), timerCount++, action));
  }

  /** Ends the run as failed; the first failure counts. */
  public void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** Ends the run. */
  public void stop() {
    stopped = true;
  }

  // --- threads ---------------------------------------------------------------------------------

  Thread start(SimulatedProcess process, String name, Runnable task) {
    SimulatedThread created = new SimulatedThread(this, process, process.name() + "/" + name);
    Thread thread =
        factory.newThread(
            () ->
                SeededSecureRandom.drawFrom(
                    libraryNames,
                    () -> ScopedValue.where(CURRENT, created).run(() -> live(created, task))));
    thread.setName(created.name);
    created.thread = thread;
    process.threads().add(created);
    live.add(created);
    starting = created;
    thread.start();
    return thread;
  }

  private void live(SimulatedThread self, Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      if (!self.process.dead()) {
        trace.line(now, self.name, "died of " + e);
        fail(new AssertionError("thread " + self.name + " died", e));
      }
    } finally {
      bury(self);
      self.process.threads().remove(self);
    }
  }

  private void bury(SimulatedThread thread) {
    live.remove(thread);
    Runnable continuation = thread.continuation;
    if (continuation != null) {
      continuations.remove(continuation);
      buried.put(continuation, true);
    }
  }

  /** The JDK calls this whenever a virtual thread becomes runnable. */
  @Override
  public void execute(Runnable continuation) {
    SimulatedThread waker = current();
    boolean inside =
        Thread.currentThread() == carrier || (waker != null && waker.scheduler == this);
    SimulatedThread woken = inside ? known(continuation) : lookUp(continuation);
    if (woken == null) {
      return;
    }
    if (inside) {
      enqueue(woken);
    } else {
      fromOutside.add(woken);
    }
  }

  private @Nullable SimulatedThread known(Runnable continuation) {
    SimulatedThread thread = lookUp(continuation);
    if (thread != null) {
      return thread;
    }
    SimulatedThread begun = starting;
    starting = null;
    if (begun != null) {
      begun.continuation = continuation;
      continuations.put(continuation, begun);
    } else if (!buried.containsKey(continuation)) {
      fail(new IllegalStateException("a virtual thread was not started through Threads"));
    }
    return begun;
  }

  private @Nullable SimulatedThread lookUp(Runnable continuation) {
    return continuations.get(continuation);
  }

  private void enqueue(SimulatedThread thread) {
    if (thread.process.dead()) {
      return;
    }
    if (thread.process.paused()) {
      thread.process.held().add(thread);
    } else {
      ready.add(thread);
    }
  }

  void kill(SimulatedProcess process) {
    ready.removeIf(thread -> thread.process == process);
    process.threads().forEach(this::bury);
    process.threads().clear();
    process.held().clear();
    trace.line(now, "scheduler", "kill " + process.name());
  }

  void pause(SimulatedProcess process) {
    for (SimulatedThread thread : List.copyOf(ready)) {
      if (thread.process == process) {
        process.held().add(thread);
      }
    }
    ready.removeIf(thread -> thread.process == process);
    trace.line(now, "scheduler", "pause " + process.name());
  }

  void resume(SimulatedProcess process) {
    ready.addAll(process.held());
    process.held().clear();
    trace.line(now, "scheduler", "resume " + process.name());
  }

  // --- waiting ---------------------------------------------------------------------------------

  /**
   * Parks the calling thread until {@code done}, or until {@code deadline}; whoever makes it done
   * unparks the thread.
   *
   * @return whether it is done
   */
  boolean park(BooleanSupplier done, long deadline) throws InterruptedException {
    SimulatedThread me = requireCurrent();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (deadline != Long.MAX_VALUE && !done.getAsBoolean()) {
      at(deadline, () -> LockSupport.unpark(me.thread));
    }
    while (!done.getAsBoolean() && now < deadline) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    return done.getAsBoolean();
  }

  // --- the loop --------------------------------------------------------------------------------

  /**
   * Runs until {@link #stop}, a failure, or until nothing is left to run.
   *
   * @param maxSteps beyond which the run has failed
   */
  public void run(long maxSteps) {
    carrier = Thread.currentThread();
    try {
      while (!stopped && failure == null && step(maxSteps)) {
        drainOutside();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(e);
    } finally {
      abandon();
    }
  }

  private boolean step(long maxSteps) throws InterruptedException {
    if (!ready.isEmpty()) {
      int of = ready.size();
      int picked = of == 1 ? 0 : choices.nextInt(of);
      SimulatedThread next = ready.remove(picked);
      if (++steps > maxSteps) {
        fail(new IllegalStateException("more than " + maxSteps + " steps at " + seconds()));
        return false;
      }
      trace.step(now, next.name, picked, of);
      resume(next);
      return true;
    }
    Timer timer = timers.poll();
    if (timer != null) {
      now = Math.max(now, timer.at);
      timer.action.run();
      return true;
    }
    if (live.isEmpty()) {
      return false;
    }
    fail(new IllegalStateException(deadlock()));
    return false;
  }

  private void resume(SimulatedThread thread) throws InterruptedException {
    Runnable continuation = thread.continuation;
    if (continuation == null) {
      return;
    }
    continuation.run();
    Thread self = thread.thread;
    if (!fromOutside.isEmpty() || (self != null && self.getState() == Thread.State.BLOCKED)) {
      awaitMonitor(thread);
    }
  }

  /**
   * The thread met a monitor that a thread outside holds (a class being loaded, a cleaner, another
   * run): the JDK hands it back from a thread of its own. Waits for exactly that and goes on with
   * it, as if it had never left the carrier.
   */
  private void awaitMonitor(SimulatedThread thread) throws InterruptedException {
    Thread self = thread.thread;
    while (!fromOutside.isEmpty() || (self != null && self.getState() == Thread.State.BLOCKED)) {
      SimulatedThread back = fromOutside.poll(MONITOR_WAIT_MILLIS, TimeUnit.MILLISECONDS);
      if (back == thread) {
        Runnable continuation = thread.continuation;
        if (continuation != null && !thread.process.dead()) {
          continuation.run();
        }
      } else if (back != null) {
        wokenFromOutside(back);
      } else {
        note("a monitor that a parked simulated thread holds blocks " + thread.name);
        return;
      }
    }
  }

  private void drainOutside() {
    for (SimulatedThread woken = fromOutside.poll(); woken != null; woken = fromOutside.poll()) {
      wokenFromOutside(woken);
    }
  }

  private void wokenFromOutside(SimulatedThread woken) {
    note(woken.name + " was woken by a thread outside the simulation");
    enqueue(woken);
  }

  private void note(String what) {
    foreign.add(what);
    trace.line(now, "scheduler", what);
  }

  /** Lets go of all threads, so that the run can be collected. */
  private void abandon() {
    live.clear();
    continuations.clear();
    timers.clear();
    ready.clear();
  }

  private String seconds() {
    return "%.3f s".formatted(now / 1e9);
  }

  private String deadlock() {
    StringBuilder text = new StringBuilder("deadlock at " + seconds());
    for (SimulatedThread thread : live) {
      Thread self = thread.thread;
      if (self != null) {
        text.append("\n  ").append(thread.name).append(' ').append(self.getState());
        StackTraceElement[] frames = self.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES_OF_A_DEADLOCK, frames.length); i++) {
          text.append("\n    ").append(frames[i]);
        }
      }
    }
    return text.toString();
  }
}
