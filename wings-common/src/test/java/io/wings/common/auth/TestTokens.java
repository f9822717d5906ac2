package io.wings.common.auth;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Tokens files, as an operator writes them. */
public final class TestTokens {
  private TestTokens() {}

  /** The line of one token, which ends. */
  public static String line(String principal, String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return "{\"principal\":\"%s\",\"sha256\":\"%s\"}\n"
          .formatted(principal, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** A file of lines. */
  public static Path file(Path folder, String... lines) {
    try {
      return Files.writeString(folder.resolve("tokens.jsonl"), String.join("", lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
