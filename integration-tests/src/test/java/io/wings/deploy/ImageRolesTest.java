package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.process.WingsProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image's tree as a container runs it, by its entry point: nobody may write to it, the
 * environment is empty, and where the tests run as root, the user is the image's, who has no entry
 * in the password file.
 */
@Tag("long")
@Timeout(600)
class ImageRolesTest {
  private static final int USAGE = 2;

  /** Of the image's user. */
  private static final String UID = "65532";

  private static final boolean ROOT =
      ProcessHandle.current().info().user().orElse("").equals("root");

  @TempDir private Path directory;
  private Path program = Path.of("");

  @BeforeEach
  void copyTheTreeAndTakeItsPermissionToWrite() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path root = directory.resolve("root");
    system("cp", "-a", ImageTree.assembled().toString(), root.toString());
    system("chmod", "-R", "a-w", root.toString());
    program = root.resolve("opt/wings/bin/wings");
  }

  @AfterEach
  void giveItBack() throws Exception {
    system("chmod", "-R", "u+w", directory.toString());
  }

  @Test
  void argumentsAndExitCodesPassTheEntryPoint() throws Exception {
    assertEquals(USAGE, run("no-such-command").code());
    WingsProcess.Ended refused = run("table", "list", "--token-file", "no such file");
    assertEquals(3, refused.code());
    assertTrue(refused.err().contains("no such file can't be read"), refused.err());
    assertEquals(0, run("worker", "--help").code());
  }

  private WingsProcess.Ended run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (ROOT) {
      command.addAll(List.of("setpriv", "--reuid=" + UID, "--regid=" + UID, "--clear-groups"));
      command.add("--no-new-privs");
    }
    command.addAll(List.of("env", "-i", "PATH=/usr/bin:/bin", program.toString()));
    command.addAll(List.of(arguments));
    return WingsProcess.run(new ProcessBuilder(command), directory);
  }

  private void system(String... command) throws IOException, InterruptedException {
    WingsProcess.Ended ended = WingsProcess.run(new ProcessBuilder(command), directory);
    assertEquals(0, ended.code(), ended.err());
  }
}
