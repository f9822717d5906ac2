package io.wings.common.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Status;
import java.security.cert.CertificateExpiredException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ConnectionFailureTest {
  @Test
  void ofAHandshakeItNamesTheLastCauseAndNoStackTrace() {
    SSLHandshakeException handshake = new SSLHandshakeException("(certificate_expired) PKIX");
    handshake.initCause(new CertificateExpiredException("NotAfter: Fri Jan 01 2021"));
    assertEquals(
        "UNAVAILABLE, the TLS handshake failed: CertificateExpiredException:"
            + " NotAfter: Fri Jan 01 2021",
        ConnectionFailure.line(
            Status.UNAVAILABLE
                .withDescription("io exception\nChannel Pipeline: [SslHandler#0]")
                .withCause(handshake)
                .asRuntimeException()));
  }

  @Test
  void ofOthersItSaysWhatTheCallEndedWith() {
    assertEquals(
        "UNAVAILABLE: Network closed for unknown reason",
        ConnectionFailure.line(
            Status.UNAVAILABLE
                .withDescription("Network closed for unknown reason")
                .asRuntimeException()));
    assertEquals(
        "UNAVAILABLE: io exception, IOException: Connection refused",
        ConnectionFailure.line(
            Status.UNAVAILABLE
                .withDescription("io exception\nChannel Pipeline: []")
                .withCause(new java.io.IOException("Connection refused\nand more"))
                .asRuntimeException()));
    assertEquals("INTERNAL: ", ConnectionFailure.line(Status.INTERNAL.asRuntimeException()));
  }
}
