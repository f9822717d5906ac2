package io.wings.loadbalancer.proxy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.Credentials;
import io.wings.common.auth.Identity;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightErrors;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.arrow.flight.impl.Flight;

/**
 * How stock clients log in with principal and token. Newer ones send a basic authorization header
 * and take the bearer token from the reply's; older ones send a {@code BasicAuth} message, take the
 * token from the reply's payload, and send it as {@code auth-token-bin} from then on.
 */
final class HandshakeCall extends ServerCall.Listener<Flight.HandshakeRequest>
    implements Arriving.Refusal {
  static final long MAX_MESSAGE_BYTES = 64 << 10;

  private final ServerCall<Flight.HandshakeRequest, Flight.HandshakeResponse> client;
  private final Authenticator authenticator;
  private final Consumer<WingsException> onFailure;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean ended;
  private boolean answered;
  private Metadata trailers = new Metadata();

  HandshakeCall(
      ServerCall<Flight.HandshakeRequest, Flight.HandshakeResponse> client,
      Metadata headers,
      Authenticator authenticator,
      Consumer<WingsException> onFailure) {
    this.client = client;
    this.authenticator = authenticator;
    this.onFailure = onFailure;
    try {
      Optional<Credentials> shown = authenticator.credentials(headers);
      if (shown.isPresent()) {
        Identity _ = authenticator.authenticate(shown.get());
        trailers = Credentials.bearer(shown.get().token());
        client.sendHeaders(Credentials.bearer(shown.get().token()));
        answered = true;
      }
    } catch (WingsException e) {
      refuse(e);
    }
  }

  @Override
  public void onMessage(Flight.HandshakeRequest request) {
    try {
      if (!isAnswered()) {
        answer(request);
      }
    } catch (WingsException e) {
      refuse(e);
    } catch (InvalidProtocolBufferException e) {
      refuse(
          WingsException.invalid(
              "handshake-invalid", "the handshake's payload is no BasicAuth message"));
    }
    lock.lock();
    try {
      if (!ended) {
        client.request(1);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isAnswered() {
    lock.lock();
    try {
      return answered || ended;
    } finally {
      lock.unlock();
    }
  }

  /** Asks without the lock: it may take long, and transport threads refuse what is too large. */
  private void answer(Flight.HandshakeRequest request) throws InvalidProtocolBufferException {
    Flight.BasicAuth basic = Flight.BasicAuth.parseFrom(request.getPayload());
    Identity _ =
        authenticator.authenticate(new Credentials(basic.getUsername(), basic.getPassword()));
    lock.lock();
    try {
      if (ended) {
        return;
      }
      answered = true;
      client.sendHeaders(new Metadata());
      client.sendMessage(
          Flight.HandshakeResponse.newBuilder()
              .setProtocolVersion(request.getProtocolVersion())
              .setPayload(ByteString.copyFromUtf8(basic.getPassword()))
              .build());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHalfClose() {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      if (!answered) {
        refuse(
            WingsException.invalid(
                "handshake-invalid",
                "a handshake carries a basic authorization header or a BasicAuth message"));
        return;
      }
      ended = true;
      client.close(Status.OK, trailers);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void tooLarge() {
    refuse(WingsException.invalid("message-too-large", "the handshake is larger than allowed"));
  }

  @Override
  public void overflow() {
    tooLarge();
  }

  /** Ends it so, unless it has ended. */
  void refuse(WingsException e) {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      ended = true;
      onFailure.accept(e);
      client.close(FlightErrors.toStatus(e), new Metadata());
    } finally {
      lock.unlock();
    }
  }
}
