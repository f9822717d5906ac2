package io.wings.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file can't be read: the messages of some exceptions are its path alone. */
public final class Unreadable {
  private Unreadable() {}

  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "this user may not read it";
      default -> String.valueOf(e.getMessage());
    };
  }
}
