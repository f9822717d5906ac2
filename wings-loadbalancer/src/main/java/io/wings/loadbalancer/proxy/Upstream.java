package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.ServingProcess;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamReply;
import io.wings.common.flight.StreamRequest;
import io.wings.loadbalancer.fleet.Fate;
import io.wings.loadbalancer.fleet.Ingestor;
import io.wings.loadbalancer.relay.Action;
import io.wings.loadbalancer.relay.CallEnd;
import io.wings.loadbalancer.relay.Relay;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * The ingestors' side of one stream: the search for one, the call to it, and what became of those
 * whose call broke off. All but what it starts itself runs under the stream's lock.
 */
final class Upstream {
  /** The stream, which takes what happens here one at a time, until it has ended. */
  @FunctionalInterface
  interface Stream {
    /** Takes the stream's lock, tells, and does what follows. */
    void happened(Consumer<Relay<FlightFrame>> event);
  }

  private final String principal;
  private final String address;
  private final StreamRequest asked;
  private final PutOpening opening;
  private final ReentrantLock lock;
  private final Stream stream;

  /** What still finds out what became of an ingestor. */
  private final Set<Thread> inquests = new HashSet<>();

  private @Nullable Results present;
  private @Nullable Search search;
  private boolean alone;
  private boolean over;

  /** Since when no ingestor has taken the stream, while one is looked for. */
  private @Nullable Long waitingNanos;

  /**
   * One that is connected to nothing.
   *
   * @param address the client's
   * @param asked by which an ingestor is chosen
   * @param lock the stream's
   */
  Upstream(
      String principal,
      String address,
      StreamRequest asked,
      PutOpening opening,
      ReentrantLock lock,
      Stream stream) {
    this.principal = principal;
    this.address = address;
    this.asked = asked;
    this.opening = opening;
    this.lock = lock;
    this.stream = stream;
  }

  boolean isReady() {
    Results to = present;
    return to != null && !to.cut && to.call.isReady();
  }

  void send(FlightFrame frame) {
    if (present != null) {
      present.call.sendMessage(frame);
    }
  }

  void halfClose() {
    if (present != null && !present.cut) {
      present.call.halfClose();
    }
  }

  /** Gives the right to be alone back, or no longer waits for it. */
  void leave() {
    if (alone) {
      alone = false;
      opening.permit().release();
    } else if (search != null && search.open.alone()) {
      Action.Open waited = search.open;
      search.interrupt();
      search = new Search(new Action.Open(waited.call(), false, waited.fruitless()));
      search.start();
    }
  }

  void cancel(String why) {
    if (search != null) {
      search.interrupt();
      search = null;
    }
    if (present != null && !present.cut) {
      present.cut = true;
      present.call.cancel(why, null);
    }
  }

  /** Nothing is asked or told any more. */
  void end(String why) {
    over = true;
    cancel(why);
    leave();
    inquests.forEach(Thread::interrupt);
    inquests.clear();
  }

  /** Looks for an ingestor on a thread of its own. */
  void seek(Action.Open open) {
    present = null;
    Search next = new Search(open);
    search = next;
    if (open.call() > 1) {
      opening.metrics().reopened.increment();
    }
    next.start();
  }

  /** Finds out, on a thread of its own, what became of the ingestor whose call broke off last. */
  void findOut(int number) {
    Results broken = present;
    if (broken == null || broken.number != number || over) {
      throw new IllegalStateException("call " + number + " isn't the last one");
    }
    long sinceNanos = opening.nanos();
    // It waits for the lock, under which it is noted.
    inquests.add(
        opening.threads().start("stream-inquest", () -> findOut(number, broken, sinceNanos)));
  }

  private void findOut(int number, Results broken, long sinceNanos) {
    Fate fate;
    try {
      fate = opening.fate(broken.ingestor, broken.process, sinceNanos);
    } catch (InterruptedException e) {
      // Nobody asks any more.
      Thread.currentThread().interrupt();
      return;
    }
    if (fate == Fate.ALIVE) {
      opening.metrics().outlived.increment();
    }
    stream.happened(
        relay -> {
          boolean _ = inquests.remove(Thread.currentThread());
          switch (fate) {
            case ALIVE -> relay.outlived(number);
            case GONE, UNKNOWN -> relay.gone(number);
          }
        });
  }

  /** One search for an ingestor that takes the stream. */
  private final class Search {
    private final Action.Open open;
    private @Nullable Thread thread;

    Search(Action.Open open) {
      this.open = open;
    }

    void start() {
      thread = opening.threads().start("stream-search", this::run);
    }

    void interrupt() {
      if (thread != null) {
        thread.interrupt();
      }
    }

    private void run() {
      boolean permit = false;
      try {
        opening.pause(waitingSince(), open.fruitless());
        if (open.alone()) {
          opening.awaitPermit(waitingSince());
          permit = true;
        }
        if (!take(permit)) {
          return;
        }
        permit = false;
        connect(opening.await(asked, waitingSince()));
      } catch (InterruptedException e) {
        // Nobody looks for one any more.
        Thread.currentThread().interrupt();
      } catch (WingsException e) {
        lost(e);
      } finally {
        if (permit) {
          opening.permit().release();
        }
      }
    }

    /** The stream's, from here on; false when it looks no further. */
    private boolean take(boolean permit) {
      lock.lock();
      try {
        if (search != this || over) {
          return false;
        }
        alone |= permit;
        return true;
      } finally {
        lock.unlock();
      }
    }

    private void connect(Ingestor ingestor) {
      lock.lock();
      try {
        if (search != this || over) {
          return;
        }
        search = null;
        ClientCall<FlightFrame, Flight.PutResult> call =
            ingestor.newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT);
        Results results = new Results(open.call(), ingestor, call);
        present = results;
        call.start(results, opening.headers(principal, address));
        call.request(1);
      } finally {
        lock.unlock();
      }
    }

    private void lost(WingsException error) {
      stream.happened(
          relay -> {
            if (search == this) {
              search = null;
              relay.noIngestor(open.call(), error);
            }
          });
    }
  }

  private long waitingSince() {
    lock.lock();
    try {
      Long since = waitingNanos;
      if (since == null) {
        since = opening.nanos();
        waitingNanos = since;
      }
      return since;
    } finally {
      lock.unlock();
    }
  }

  /** What the ingestor says. */
  private final class Results extends ClientCall.Listener<Flight.PutResult> {
    private final int number;
    private final Ingestor ingestor;
    private final ClientCall<FlightFrame, Flight.PutResult> call;

    /** Nothing is sent or heard any more. */
    private boolean cut;

    /** Which process has the call; null before it, or one that doesn't say, took it. */
    private @Nullable ServingProcess process;

    Results(int number, Ingestor ingestor, ClientCall<FlightFrame, Flight.PutResult> call) {
      this.number = number;
      this.ingestor = ingestor;
      this.call = call;
    }

    @Override
    public void onHeaders(Metadata headers) {
      stream.happened(
          relay -> {
            waitingNanos = null;
            process = ServingProcess.of(headers);
            relay.accepted(number);
          });
    }

    @Override
    public void onMessage(Flight.PutResult result) {
      stream.happened(
          relay -> {
            if (cut || present != this) {
              return;
            }
            call.request(1);
            try {
              StreamReply reply = StreamReply.of(result.getAppMetadata());
              if (reply instanceof StreamMove move) {
                opening.metrics().moved(move.reason());
                if (move.reason() == StreamMove.Reason.DRAIN) {
                  ingestor.draining();
                }
              }
              relay.reply(number, reply);
            } catch (WingsException e) {
              relay.abort(
                  new WingsException(
                      ErrorKind.INTERNAL,
                      "ingestor-misunderstood",
                      "an ingestor answered what this load balancer can't read: " + e.getMessage(),
                      e));
            }
          });
    }

    @Override
    public void onReady() {
      stream.happened(_ -> {});
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      CallEnd end = IngestorErrors.callEnd(ingestor, status);
      stream.happened(
          relay -> {
            if (end instanceof CallEnd.Died) {
              opening.metrics().deaths.increment();
            }
            if (present == this) {
              cut = true;
            }
            relay.ended(number, end);
          });
    }
  }
}
