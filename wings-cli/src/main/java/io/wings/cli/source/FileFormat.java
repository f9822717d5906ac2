package io.wings.cli.source;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** What a file holds. */
public enum FileFormat {
  PARQUET,
  ARROW_FILE,
  ARROW_STREAM,
  CSV,
  NDJSON;

  private static final byte[] PARQUET_MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ARROW_MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STREAM_CONTINUATION = {-1, -1, -1, -1};

  /** By the file's first bytes, else by its extension. */
  public static FileFormat of(Path file) throws IOException {
    byte[] head;
    try (InputStream in = Files.newInputStream(file)) {
      head = in.readNBytes(ARROW_MAGIC.length);
    }
    if (startsWith(head, PARQUET_MAGIC)) {
      return PARQUET;
    }
    if (startsWith(head, ARROW_MAGIC)) {
      return ARROW_FILE;
    }
    if (startsWith(head, STREAM_CONTINUATION)) {
      return ARROW_STREAM;
    }
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT).replaceAll("\\.gz$", "");
    if (name.endsWith(".csv") || name.endsWith(".tsv")) {
      return CSV;
    }
    if (name.endsWith(".ndjson") || name.endsWith(".jsonl") || name.endsWith(".json")) {
      return NDJSON;
    }
    throw WingsException.invalid(
        "file-format-unknown",
        file
            + " is neither Parquet nor Arrow IPC by its first bytes, and its name ends in none of"
            + " .csv, .tsv, .ndjson, .jsonl, .json (or those with .gz); rename it");
  }

  private static boolean startsWith(byte[] head, byte[] magic) {
    return head.length >= magic.length
        && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
  }
}
