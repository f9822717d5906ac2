package io.wings.catalog.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/** A local file to read. */
record LocalInputFile(String location, Path path) implements InputFile {
  @Override
  public long getLength() {
    try {
      return Files.size(path);
    } catch (NoSuchFileException e) {
      throw new NotFoundException(e, "no file at %s", location);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read the length of " + location, e);
    }
  }

  @Override
  public SeekableInputStream newStream() {
    if (!exists()) {
      throw new NotFoundException("Failed to open input stream for file: %s", location);
    }
    // Iceberg's own stream: it also serves Parquet's ranged and vectored reads.
    return org.apache.iceberg.Files.localInput(path.toFile()).newStream();
  }

  @Override
  public boolean exists() {
    return Files.isRegularFile(path);
  }
}
