package io.wings.engines;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The interpreter with {@code integration-tests/requirements.txt} installed: {@code WINGS_PYTHON}.
 * Without it tests skip, unless {@code WINGS_ENGINES_REQUIRED} is set, as {@code .ci/run} does.
 */
public final class Python {
  private Python() {}

  /** How a script ended. */
  public record Ended(int code, String output) {}

  /** Runs a script to its end. */
  public static Ended run(Path directory, String script, String... arguments)
      throws IOException, InterruptedException {
    Path file = Files.writeString(Files.createTempFile(directory, "script-", ".py"), script);
    List<String> command = new ArrayList<>(List.of(interpreter(), file.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    byte[] output = process.getInputStream().readAllBytes();
    return new Ended(process.waitFor(), new String(output, StandardCharsets.UTF_8));
  }

  /** Skips the calling test where there is no interpreter. */
  public static String interpreter() {
    String interpreter = System.getenv("WINGS_PYTHON");
    if (interpreter == null) {
      if (System.getenv("WINGS_ENGINES_REQUIRED") != null) {
        fail("WINGS_ENGINES_REQUIRED is set and WINGS_PYTHON isn't");
      }
      abort("no Python with pyarrow and PyIceberg: set WINGS_PYTHON, as .ci/run does");
    }
    return interpreter;
  }
}
