package io.wings.loadbalancer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Writes tokens files. */
final class Tokens {
  private Tokens() {}

  static String line(String principal, String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return "{\"principal\":\"%s\",\"sha256\":\"%s\"}%n"
          .formatted(principal, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  static Path file(Path folder, String... lines) throws IOException {
    return Files.writeString(folder.resolve("tokens.jsonl"), String.join("", lines));
  }
}
