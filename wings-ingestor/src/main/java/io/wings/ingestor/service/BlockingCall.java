package io.wings.ingestor.service;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightErrors;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A call with one request, answered by a thread of its own that may block. */
final class BlockingCall<Q, R> extends ServerCall.Listener<Q> {
  /** Answers a request. */
  @FunctionalInterface
  interface Handler<Q, R> {
    /**
     * The replies.
     *
     * @throws WingsException that the call ends with
     */
    List<R> answer(Q request) throws InterruptedException;
  }

  private final ServerCall<Q, R> call;
  private final Handler<Q, R> handler;
  private final Threads threads;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread answering;
  private boolean ended;
  private boolean stopped;
  private Runnable onEnd = () -> {};

  BlockingCall(ServerCall<Q, R> call, Handler<Q, R> handler, Threads threads) {
    this.call = call;
    this.handler = handler;
    this.threads = threads;
  }

  /**
   * Asks for the request.
   *
   * @param onEnd runs once, when the call has ended and nobody answers any more
   */
  void begin(Runnable onEnd) {
    this.onEnd = onEnd;
    call.request(1);
  }

  @Override
  public void onMessage(Q request) {
    lock.lock();
    try {
      if (answering == null && !ended) {
        answering = threads.start("ingestor-call", () -> answer(request));
      }
    } finally {
      lock.unlock();
    }
  }

  private void answer(Q request) {
    try {
      end(handler.answer(request), Status.OK);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(List.of(), FlightErrors.toStatus(LiveCalls.stopping()));
    } catch (RuntimeException e) {
      // Whoever was interrupted says what it was at, which isn't what is wrong.
      end(List.of(), FlightErrors.toStatus(isStopped() ? LiveCalls.stopping() : e));
    } catch (Error e) {
      end(List.of(), FlightErrors.toStatus(e));
      throw e;
    } finally {
      onEnd.run();
    }
  }

  private boolean isStopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }

  private void end(List<R> replies, Status status) {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      ended = true;
      if (status.isOk()) {
        call.sendHeaders(new Metadata());
        replies.forEach(call::sendMessage);
      }
      call.close(status, new Metadata());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      if (answering == null) {
        end(
            List.of(),
            FlightErrors.toStatus(
                WingsException.invalid("request-missing", "the call carries no request")));
        onEnd.run();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onCancel() {
    lock.lock();
    try {
      ended = true;
      if (answering != null) {
        answering.interrupt();
      } else {
        onEnd.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the wait of whoever answers. */
  void stop() {
    lock.lock();
    try {
      stopped = true;
      if (answering != null) {
        answering.interrupt();
      } else {
        end(List.of(), FlightErrors.toStatus(LiveCalls.stopping()));
        onEnd.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
