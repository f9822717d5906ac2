package io.wings.common.objectstore.s3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.StoredObject;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the answers of a server, and their absence, are taken for. */
class S3OutcomesTest {
  /** Of tests in which the server answers, however busy the machine. */
  private static final Duration PATIENT = Duration.ofSeconds(20);

  /** Of tests in which it doesn't. */
  private static final Duration IMPATIENT = Duration.ofMillis(300);

  /** For another thread to interrupt a read before it ends, which it does no earlier for that. */
  private static final Duration ENOUGH = Duration.ofSeconds(3);

  private static final Body BODY = Body.of(new byte[1_000]);

  private static S3Store store(StoreOptions options) {
    return S3Store.open("s3://bucket/prefix", options, PATIENT);
  }

  private static PutOutcome put(ScriptedServer server, PutCondition condition) {
    return put(server, condition, PATIENT);
  }

  private static PutOutcome put(
      ScriptedServer server, PutCondition condition, Duration socketTimeout) {
    try (S3Store store = S3Store.open("s3://bucket/prefix", server.options(), socketTimeout)) {
      return store.put("k", BODY, condition);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "if-absent,  412, PreconditionFailed,           Lost",
    "if-version, 412, PreconditionFailed,           Lost",
    "if-version, 404, NoSuchKey,                    Missing",
    "if-absent,  409, ConditionalRequestConflict,   Unknown",
    "if-version, 409, ConditionalRequestConflict,   Unknown",
    "if-version, 409, OperationAborted,             Unknown",
    "if-absent,  500, InternalError,                Unknown",
    "if-absent,  502, '',                           Unknown",
    "if-absent,  503, SlowDown,                     Unknown",
    "any,        503, SlowDown,                     Unknown",
    "if-version, 504, '',                           Unknown",
    "if-absent,  429, TooManyRequests,              Unknown",
    "if-absent,  400, RequestTimeout,               Unknown",
    "if-absent,  403, AccessDenied,                 refused",
    "if-absent,  404, NoSuchBucket,                 refused",
    "if-version, 404, NoSuchBucket,                 refused",
    "if-absent,  400, InvalidRequest,               refused",
    "if-absent,  501, NotImplemented,               refused",
    "any,        412, PreconditionFailed,           refused",
    "if-absent,  400, ExpiredToken,                 refused for now",
    "if-absent,  403, RequestTimeTooSkewed,         refused for now",
    "if-absent,  507, XMinioStorageFull,            refused for now",
  })
  void takesAnAnswerForWhatItMeansAndSendsAPutOnce(
      String condition, int status, String code, String meaning) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(new ScriptedServer.Answer.Status(status, code))) {
      assertEquals(meaning, meaning(server, condition));
      assertEquals(1, server.requests().size());
    }
  }

  /** As Versity S3 Gateway does, where S3 says 416. */
  @Test
  void anEmptyObjectMayBeAnsweredWholeWhenAPartIsAskedFor() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Whole(""));
        S3Store store = S3Store.open("s3://bucket/prefix", server.options())) {
      StoredObject part = store.getRange("k", 0, 10).orElseThrow();
      assertEquals(0, part.bytes().length);
      assertEquals(0, part.head().size());
      assertEquals("\"x\"", part.version());
    }
  }

  @Test
  void aStoreThatIgnoresTheRangeOfMoreIsAnError() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Whole("0123456789"));
        S3Store store = S3Store.open("s3://bucket/prefix", server.options())) {
      StoreException thrown = assertThrows(StoreException.class, () -> store.getRange("k", 3, 3));
      assertTrue(String.valueOf(thrown.getMessage()).contains("ignored the range"));
      assertFalse(thrown.retryable());
    }
  }

  private static String meaning(ScriptedServer server, String condition) {
    try {
      return put(server, condition(condition)).getClass().getSimpleName();
    } catch (StoreException e) {
      return e.retryable() ? "refused for now" : "refused";
    }
  }

  private static PutCondition condition(String name) {
    return switch (name) {
      case "any" -> PutCondition.any();
      case "if-absent" -> PutCondition.ifAbsent();
      case "if-version" -> PutCondition.ifVersion("\"etag\"");
      default -> throw new IllegalArgumentException(name);
    };
  }

  @Test
  void asksForTheConditionInHeaders() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(new ScriptedServer.Answer.Status(412, "PreconditionFailed"))) {
      put(server, PutCondition.ifAbsent());
      put(server, PutCondition.ifVersion("\"etag\""));
      assertTrue(server.requests().get(0).has("if-none-match: *"));
      assertTrue(server.requests().get(1).has("if-match: \"etag\""));
      assertTrue(server.requests().get(0).line().contains("/bucket/prefix/k"));
    }
  }

  @Test
  void aPutWhoseConnectionIsResetIsUnknownAndSentOnce() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Reset())) {
      assertInstanceOf(PutOutcome.Unknown.class, put(server, PutCondition.ifAbsent()));
      assertEquals(1, server.requests().size());
    }
  }

  @Test
  void aPutThatIsNeverAnsweredIsUnknownAndSentOnce() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Silence())) {
      assertInstanceOf(PutOutcome.Unknown.class, put(server, PutCondition.ifAbsent(), IMPATIENT));
      server.awaitFirstRequest();
      assertEquals(1, server.requests().size());
    }
  }

  @Test
  void aPutThatNeverLeftIsRefusedForNow() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    StoreOptions nobody =
        StoreOptions.compatible(
            URI.create("http://127.0.0.1:" + port),
            "us-east-1",
            new StoreOptions.Credentials("id", "secret"));
    try (S3Store store = store(nobody)) {
      StoreException thrown =
          assertThrows(StoreException.class, () -> store.put("k", BODY, PutCondition.ifAbsent()));
      assertTrue(thrown.retryable());
    }
  }

  @Test
  void anInterruptedPutIsUnknownAndTheThreadStaysInterrupted() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Silence());
        S3Store store = S3Store.open("s3://bucket/prefix", server.options(), ENOUGH)) {
      Thread caller = Thread.currentThread();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  server.awaitFirstRequest();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                caller.interrupt();
              });

      PutOutcome outcome = store.put("k", BODY, PutCondition.ifAbsent());

      assertTrue(Thread.interrupted());
      assertInstanceOf(PutOutcome.Unknown.class, outcome);
    }
  }

  @Test
  void readsAreRepeatedAndThenFailForNow() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(new ScriptedServer.Answer.Status(500, "InternalError"));
        S3Store store = store(server.options())) {
      assertTrue(assertThrows(StoreException.class, () -> store.get("k")).retryable());
      assertTrue(server.requests().size() > 1);
    }
  }

  @Test
  void aReadThatStallsFailsForNow() throws Exception {
    try (ScriptedServer server = new ScriptedServer(new ScriptedServer.Answer.Stall());
        S3Store store = S3Store.open("s3://bucket/prefix", server.options(), IMPATIENT)) {
      assertTrue(assertThrows(StoreException.class, () -> store.get("k")).retryable());
    }
  }

  @Test
  void aMissingBucketIsNotAMissingObject() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(new ScriptedServer.Answer.Status(404, "NoSuchBucket"));
        S3Store store = store(server.options())) {
      assertFalse(assertThrows(StoreException.class, () -> store.get("k")).retryable());
    }
    try (ScriptedServer server =
            new ScriptedServer(new ScriptedServer.Answer.Status(404, "NoSuchKey"));
        S3Store store = store(server.options())) {
      assertEquals(Optional.empty(), store.get("k"));
    }
  }

  @Test
  void anErrorNamesWhatAndWhereAndNoCredentials() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(new ScriptedServer.Answer.Status(403, "AccessDenied"));
        S3Store store = store(server.options())) {
      String message =
          assertThrows(StoreException.class, () -> store.put("k", BODY, PutCondition.any()))
              .toString();
      assertTrue(message.contains("put of k in s3://bucket/prefix failed: 403 AccessDenied"));
      assertFalse(message.contains("secret"));
    }
  }
}
