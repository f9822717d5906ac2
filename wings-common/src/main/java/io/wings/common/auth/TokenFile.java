package io.wings.common.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.common.cluster.Printable;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Static bearer tokens: a file of JSON lines {@code {"principal":"etl","sha256":"…"}}, where {@code
 * sha256} is the hexadecimal digest of the token's UTF-8. A principal may have several. A change of
 * the file is seen within a second; one that can't be read, or holds no token, is reported and the
 * last good one stays in force.
 */
public final class TokenFile implements Authenticator {
  static final int MAX_TOKENS = 10_000;

  private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path file;
  private final ReloadedFile<List<Token>> tokens;

  /** A line of the file. */
  private record Line(@Nullable String principal, @Nullable String sha256) {}

  private static final class Token {
    final String principal;
    final byte[] digest;

    Token(String principal, byte[] digest) {
      this.principal = principal;
      this.digest = digest;
    }
  }

  /**
   * Reads the file.
   *
   * @throws WingsException {@code tokens-invalid}
   */
  public TokenFile(Path file, Time time) {
    this.file = file;
    this.tokens = new ReloadedFile<>(file, "tokens-invalid", this::read, time);
  }

  @Override
  public void watch(Lifecycle lifecycle, Threads threads) {
    tokens.watch(lifecycle, threads);
  }

  @Override
  public Identity authenticate(Credentials credentials) {
    byte[] digest = sha256(credentials.token());
    String principal = null;
    // Every entry is compared, in full, whatever matched before.
    for (Token token : tokens.get()) {
      boolean claimed =
          credentials.principal() == null || credentials.principal().equals(token.principal);
      if (MessageDigest.isEqual(digest, token.digest) && claimed) {
        principal = token.principal;
      }
    }
    if (principal == null) {
      throw Credentials.unauthenticated("the token is not known");
    }
    return new Identity(principal);
  }

  private List<Token> read(String text) {
    List<Token> read = new ArrayList<>();
    Set<String> digests = new HashSet<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      Token token = token(line, number);
      if (!digests.add(HexFormat.of().formatHex(token.digest))) {
        throw invalid(number, "the digest stands in an earlier line too");
      }
      read.add(token);
    }
    if (read.isEmpty()) {
      throw WingsException.invalid(
          "tokens-invalid",
          file
              + " holds no token, which would lock everybody out: expected a line"
              + " {\"principal\":\"…\",\"sha256\":\"…\"} for each token");
    }
    if (read.size() > MAX_TOKENS) {
      throw WingsException.invalid(
          "tokens-invalid", file + " has more than " + MAX_TOKENS + " tokens");
    }
    return List.copyOf(read);
  }

  private Token token(String text, int number) {
    Line line;
    try {
      line = MAPPER.readValue(text, Line.class);
    } catch (JsonProcessingException e) {
      throw invalid(number, "expected {\"principal\":\"…\",\"sha256\":\"…\"}");
    }
    if (line == null || line.principal == null || line.sha256 == null) {
      throw invalid(number, "expected {\"principal\":\"…\",\"sha256\":\"…\"}");
    }
    if (!SHA_256.matcher(line.sha256).matches()) {
      throw invalid(number, "'sha256' is 64 hexadecimal digits");
    }
    if (!Identity.isPrincipal(line.principal)) {
      throw invalid(
          number,
          "a principal has 1 to "
              + Identity.MAX_PRINCIPAL_CHARS
              + " characters, no colon and no control characters, got \""
              + Printable.of(line.principal)
              + "\"");
    }
    return new Token(line.principal, HexFormat.of().parseHex(line.sha256));
  }

  private WingsException invalid(int line, String detail) {
    return WingsException.invalid("tokens-invalid", file + " line " + line + ": " + detail);
  }

  private static byte[] sha256(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
