package io.wings.common.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Metadata;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.log.LogLines;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated("it listens to a log")
class TokenFileTest {
  /** sha256 of "secret". */
  private static final String SECRET =
      "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

  /** sha256 of "abc", from FIPS 180-2. */
  private static final String ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path folder;

  /** Stands still until it is told. */
  private static final class Clock implements Time {
    private long nanos;

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public void sleep(Duration duration) {
      nanos += duration.toNanos();
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      throw new AssertionError("nothing waits");
    }
  }

  private final Clock clock = new Clock();

  private static String line(String principal, String digest) {
    return "{\"principal\":\"" + principal + "\",\"sha256\":\"" + digest + "\"}\n";
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("tokens.jsonl"), text);
  }

  private static Credentials token(String token) {
    return new Credentials(null, token);
  }

  @Test
  void knowsTokensByTheirDigest() throws Exception {
    TokenFile tokens =
        new TokenFile(
            write(line("etl", SECRET) + "\n" + line("zoë", ABC.toUpperCase(Locale.ROOT))), clock);
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
    assertEquals("zoë", tokens.authenticate(token("abc")).principal());
    assertEquals("etl", tokens.authenticate(new Credentials("etl", "secret")).principal());
    for (Credentials wrong :
        new Credentials[] {
          token("Secret"), token(""), token(SECRET), new Credentials("zoë", "secret")
        }) {
      WingsException e = assertThrows(WingsException.class, () -> tokens.authenticate(wrong));
      assertEquals(ErrorKind.UNAUTHENTICATED, e.kind());
      assertFalse(String.valueOf(e.getMessage()).contains("ecret"));
    }
  }

  @Test
  void seesAChangeWithinASecond() throws Exception {
    Path file = write(line("etl", SECRET));
    TokenFile tokens = new TokenFile(file, clock);
    Path _ = write(line("late-one", ABC));
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("late-one", tokens.authenticate(token("abc")).principal());
    assertThrows(WingsException.class, () -> tokens.authenticate(token("secret")));
  }

  @Test
  @Timeout(30)
  void saysThatAFileCantBeUsedThoughNobodyCalls() throws Exception {
    Path file = write(line("etl", SECRET));
    TokenFile tokens = new TokenFile(file, Time.system());
    try (LogLines log = LogLines.of(ReloadedFile.class);
        Lifecycle lifecycle = new Lifecycle("test")) {
      tokens.watch(lifecycle, Threads.virtual());
      Path _ = write("half a li");
      while (log.texts().isEmpty()) {
        Thread.sleep(20);
      }
      assertEquals(List.of("ERROR"), log.levels());
      assertTrue(log.texts().getFirst().startsWith(file + " can't be read"));
    }
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
  }

  @Test
  void keepsTheLastGoodFile() throws Exception {
    Path file = write(line("etl", SECRET));
    TokenFile tokens = new TokenFile(file, clock);
    Path _ = write("half a li");
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
    Files.delete(file);
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
    Path _ = write(line("back", ABC));
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("back", tokens.authenticate(token("abc")).principal());
  }

  /** Revoked is revoked: what a file couldn't be read for may pass without a change of the file. */
  @Test
  void aFileThatCouldNotBeReadIsReadOnceItCan() throws Exception {
    Path file = write("first");
    AtomicBoolean fails = new AtomicBoolean();
    ReloadedFile<String> reloaded =
        new ReloadedFile<>(
            file,
            "tokens-invalid",
            text -> {
              if (fails.get()) {
                throw WingsException.invalid("passing", "too many open files");
              }
              return text;
            },
            clock);
    Path _ = write("second, and longer");
    fails.set(true);
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("first", reloaded.get());
    fails.set(false);
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("second, and longer", reloaded.get());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "{}",
        "null",
        "{\"principal\":\"a\"}",
        "{\"principal\":\"a\",\"sha256\":\"abc\"}",
        "{\"principal\":\"\",\"sha256\":\"" + ABC + "\"}",
        "{\"principal\":\"a:b\",\"sha256\":\"" + ABC + "\"}",
        "{\"principal\":\"a\\u0000\",\"sha256\":\"" + ABC + "\"}",
        "{\"principal\":\"a\",\"principal\":\"b\",\"sha256\":\"" + ABC + "\"}",
        "{\"principal\":\"a\",\"sha256\":\"" + ABC + "\",\"admin\":true}",
        "{\"principal\":\"a\",\"sha256\":\"" + ABC + "\"} {}",
      })
  void refusesToStartWithALineThatItCannotRead(String line) throws Exception {
    Path file = write(line("etl", SECRET) + line + "\n");
    WingsException e = assertThrows(WingsException.class, () -> new TokenFile(file, clock));
    assertEquals("tokens-invalid", e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("line 2"), e.getMessage());
  }

  /** Such as one that is being copied: it would lock everybody out. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\n \n"})
  void aFileWithoutATokenIsNone(String empty) throws Exception {
    Path file = write(line("etl", SECRET));
    TokenFile tokens = new TokenFile(file, clock);
    Path _ = write(empty);
    clock.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("etl", tokens.authenticate(token("secret")).principal());
    WingsException e = assertThrows(WingsException.class, () -> new TokenFile(file, clock));
    assertEquals("tokens-invalid", e.code());
    assertTrue(e.detail().contains("holds no token"), e.getMessage());
  }

  /** As PyIceberg sends it where it was given neither token nor credential. */
  @ParameterizedTest
  @ValueSource(strings = {"Bearer None", "Bearer "})
  void whoShowsNoTokenIsNotToldThatItIsUnknown(String header) throws Exception {
    TokenFile tokens = new TokenFile(write(line("etl", SECRET)), clock);
    WingsException e =
        assertThrows(WingsException.class, () -> tokens.authenticate(List.of(header), null));
    assertEquals(ErrorKind.UNAUTHENTICATED, e.kind());
    assertTrue(e.detail().contains("asks for a bearer token"), e.getMessage());
  }

  @Test
  void refusesOneTokenForTwoPrincipals() throws Exception {
    Path file = write(line("a", SECRET) + line("b", SECRET));
    assertThrows(WingsException.class, () -> new TokenFile(file, clock));
  }

  @Test
  void refusesToStartWithoutItsFile() {
    assertThrows(WingsException.class, () -> new TokenFile(folder.resolve("absent"), clock));
  }

  private static Metadata authorization(String... values) {
    Metadata headers = new Metadata();
    for (String value : values) {
      headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), value);
    }
    return headers;
  }

  private static String basic(String text) {
    return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void readsCredentialsFromHeaders() {
    assertEquals(Optional.empty(), Credentials.of(new Metadata()));
    assertEquals(Optional.of(token("t")), Credentials.of(authorization("Bearer t")));
    assertEquals(Optional.of(token("t")), Credentials.of(authorization("bearer t", "bearer t")));
    assertEquals(
        Optional.of(new Credentials("zoë", "a:b")),
        Credentials.of(authorization(basic("zoë:a:b"))));
    for (Metadata wrong :
        new Metadata[] {
          authorization("Bearer a", "Bearer b"),
          authorization("Digest a"),
          authorization("Basic !!!"),
          authorization(basic("no-colon")),
          authorization("Basic " + Base64.getEncoder().encodeToString(new byte[] {-1, ':'})),
        }) {
      assertEquals(
          ErrorKind.UNAUTHENTICATED,
          assertThrows(WingsException.class, () -> Credentials.of(wrong)).kind());
    }
    assertFalse(token("hidden").toString().contains("hidden"));
  }
}
