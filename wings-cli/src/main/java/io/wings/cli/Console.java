package io.wings.cli;

import java.io.PrintWriter;
import java.util.concurrent.locks.ReentrantLock;
import picocli.CommandLine.Model.CommandSpec;

/** A progress line that overwrites itself on a terminal and is not there elsewhere. */
public final class Console {
  private static final int MAX_WIDTH = 100;

  private final ReentrantLock lock = new ReentrantLock();
  private final PrintWriter err;
  private final boolean terminal;

  private Console(PrintWriter err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  // Null where the JVM has no console at all, which is why the check stands.
  @SuppressWarnings("SystemConsoleNull")
  public static Console of(CommandSpec spec) {
    java.io.Console console = System.console();
    return new Console(spec.commandLine().getErr(), console != null && console.isTerminal());
  }

  /** Replaces the progress line. */
  public void progress(String text) {
    if (terminal) {
      print("\r" + fit(text));
    }
  }

  /** Removes the progress line. */
  public void clearProgress() {
    if (terminal) {
      print("\r" + " ".repeat(MAX_WIDTH) + "\r");
    }
  }

  /** A line for people, on stderr. */
  public void say(String text) {
    clearProgress();
    print(text + System.lineSeparator());
  }

  private void print(String text) {
    lock.lock();
    try {
      err.print(text);
      err.flush();
    } finally {
      lock.unlock();
    }
  }

  private static String fit(String text) {
    String cut = text.length() > MAX_WIDTH ? text.substring(0, MAX_WIDTH) : text;
    return cut + " ".repeat(MAX_WIDTH - cut.length());
  }
}
