package io.wings.loadbalancer.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.flight.FlightMethods;
import io.wings.common.time.SteppedTime;
import io.wings.common.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HandshakeCallTest {
  /** An authenticator that looks at it waits, as one does that fetches keys. */
  private static final class Stopped implements Time {
    private final SteppedTime time = new SteppedTime();
    private final CountDownLatch looked = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private volatile boolean stopped;

    @Override
    public long nanos() {
      if (stopped) {
        looked.countDown();
        try {
          goesOn.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return time.nanos();
    }

    @Override
    public Instant now() {
      return time.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      time.sleep(duration);
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      throw new AssertionError("nothing waits");
    }
  }

  private static final class Client
      extends ServerCall<Flight.HandshakeRequest, Flight.HandshakeResponse> {
    private final CompletableFuture<Status> end = new CompletableFuture<>();
    private volatile Flight.@Nullable HandshakeResponse answer;

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(Flight.HandshakeResponse message) {
      answer = message;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      end.complete(status);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<Flight.HandshakeRequest, Flight.HandshakeResponse>
        getMethodDescriptor() {
      return FlightMethods.HANDSHAKE;
    }
  }

  private final Stopped time = new Stopped();
  private final Client client = new Client();

  /** A transport's thread refuses, and has other connections to serve. */
  @Test
  void whoIsTooLargeIsRefusedWhileTheTokenIsLookedAt(@TempDir Path folder) throws Exception {
    TokenFile tokens =
        new TokenFile(TestTokens.file(folder, TestTokens.line("etl", "secret-1")), time);
    HandshakeCall call = new HandshakeCall(client, new Metadata(), tokens, _ -> {});
    Flight.BasicAuth basic =
        Flight.BasicAuth.newBuilder().setUsername("etl").setPassword("secret-1").build();
    Flight.HandshakeRequest request =
        Flight.HandshakeRequest.newBuilder().setPayload(basic.toByteString()).build();
    time.stopped = true;
    Thread serving = Thread.ofVirtual().start(() -> call.onMessage(request));
    time.looked.await();
    Thread transport = Thread.ofVirtual().start(call::tooLarge);
    try {
      assertEquals(Status.Code.INVALID_ARGUMENT, client.end.get(10, TimeUnit.SECONDS).getCode());
    } finally {
      time.goesOn.countDown();
    }
    transport.join();
    serving.join();
    assertEquals(null, client.answer, "who was refused gets no token");
  }
}
