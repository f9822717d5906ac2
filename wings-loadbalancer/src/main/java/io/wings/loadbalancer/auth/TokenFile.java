package io.wings.loadbalancer.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Static bearer tokens: a file of JSON lines {@code {"principal":"etl","sha256":"…"}}, where {@code
 * sha256} is the hexadecimal digest of the token's UTF-8. A principal may have several. A change of
 * the file is seen within a second; one that can't be read is reported and the last good one stays
 * in force.
 */
public final class TokenFile implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

  static final int MAX_TOKENS = 10_000;
  static final long MAX_FILE_BYTES = 4 << 20;
  static final int MAX_PRINCIPAL_CHARS = 128;

  /** How long a change may go unnoticed. */
  static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path file;
  private final Time time;
  private final ReentrantLock checking = new ReentrantLock();
  private volatile List<Token> tokens;
  private volatile long checkedNanos;
  private @Nullable Version version;

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

  /** What tells one state of the file from another. */
  private record Version(FileTime modified, long bytes, @Nullable Object key) {}

  /**
   * Reads the file.
   *
   * @throws WingsException {@code tokens-invalid}
   */
  public TokenFile(Path file, Time time) {
    this.file = file;
    this.time = time;
    try {
      version = version();
      tokens = read();
    } catch (IOException e) {
      throw new WingsException(
          ErrorKind.INVALID, "tokens-invalid", "can't read the tokens file " + file, e);
    }
    checkedNanos = time.nanos();
  }

  @Override
  public String authenticate(Credentials credentials) {
    reloadIfChanged();
    byte[] digest = sha256(credentials.token());
    String principal = null;
    // Every entry is compared, in full, whatever matched before.
    for (Token token : tokens) {
      boolean claimed =
          credentials.principal() == null || credentials.principal().equals(token.principal);
      if (MessageDigest.isEqual(digest, token.digest) && claimed) {
        principal = token.principal;
      }
    }
    if (principal == null) {
      throw Credentials.unauthenticated("the token is not known");
    }
    return principal;
  }

  private void reloadIfChanged() {
    if (time.since(checkedNanos).compareTo(CHECK_INTERVAL) < 0 || !checking.tryLock()) {
      return;
    }
    try {
      Version now = version();
      if (!now.equals(version)) {
        version = now;
        tokens = read();
        log.info("tokens file changed: {} tokens", tokens.size());
      }
    } catch (IOException | WingsException e) {
      log.error("tokens file {} can't be read; the last good one stays in force", file, e);
    } finally {
      checkedNanos = time.nanos();
      checking.unlock();
    }
  }

  private Version version() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }

  private List<Token> read() throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw WingsException.invalid(
          "tokens-invalid", file + " is larger than " + MAX_FILE_BYTES + " bytes");
    }
    List<Token> read = new ArrayList<>();
    Set<String> digests = new HashSet<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
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
    if (line.principal.isEmpty()
        || line.principal.length() > MAX_PRINCIPAL_CHARS
        || line.principal.indexOf(':') >= 0
        || line.principal.chars().anyMatch(Character::isISOControl)) {
      throw invalid(
          number,
          "a principal has 1 to "
              + MAX_PRINCIPAL_CHARS
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
