package io.wings.cli.role;

import io.wings.common.config.HostPort;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Asks, before anything starts, whether a port can be had, and says who has it. */
final class FreePort {
  /** Of {@code /proc/net/tcp}: state LISTEN. */
  private static final String LISTENING = "0A";

  private static final int LOCAL_ADDRESS = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private FreePort() {}

  /**
   * Returns when {@code wanted} is free, or 0.
   *
   * @param option that names it
   * @throws WingsException {@code port-in-use}, {@code address-unusable}
   */
  static void require(String option, HostPort wanted) {
    InetSocketAddress address = wanted.socketAddress();
    if (address.isUnresolved()) {
      throw WingsException.invalid(
          "address-unusable", option + " " + wanted + ": the host's name has no address");
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(address);
    } catch (IOException e) {
      if (wanted.port() == 0 || !local(address.getAddress())) {
        throw new WingsException(
            ErrorKind.INVALID,
            "address-unusable",
            option + " " + wanted + " can't be listened on: " + e.getMessage(),
            e);
      }
      throw new WingsException(
          ErrorKind.INVALID,
          "port-in-use",
          "port %d is taken by %s; stop it, or say another %s HOST:PORT (port 0 takes a free one)"
              .formatted(wanted.port(), holder(wanted.port()).orElse("another process"), option),
          e);
    }
  }

  private static boolean local(InetAddress address) {
    return address.isAnyLocalAddress() || address.isLoopbackAddress();
  }

  /** Where the system lets one see it: Linux, for processes of the same user. */
  private static Optional<String> holder(int port) {
    Set<String> sockets = new HashSet<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      try {
        Files.readAllLines(Path.of(table)).forEach(line -> addListener(line, port, sockets));
      } catch (IOException _) {
        // Not Linux, or no such protocol.
      }
    }
    return ProcessHandle.allProcesses()
        .filter(process -> holdsAny(process.pid(), sockets))
        .findFirst()
        .map(process -> "process " + process.pid() + command(process));
  }

  private static void addListener(String line, int port, Set<String> sockets) {
    String[] words = line.strip().split("\\s+", -1);
    if (words.length > INODE
        && words[STATE].equals(LISTENING)
        && words[LOCAL_ADDRESS].endsWith(":%04X".formatted(port))) {
      sockets.add("socket:[" + words[INODE] + "]");
    }
  }

  private static boolean holdsAny(long process, Set<String> sockets) {
    if (sockets.isEmpty()) {
      return false;
    }
    try (DirectoryStream<Path> open =
        Files.newDirectoryStream(Path.of("/proc/" + process + "/fd"))) {
      for (Path descriptor : open) {
        if (sockets.contains(target(descriptor))) {
          return true;
        }
      }
    } catch (IOException _) {
      // Another user's, or gone.
    }
    return false;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      return "";
    }
  }

  /** Its program and what follows it, as far as it tells which one it is. */
  private static String command(ProcessHandle process) {
    String name =
        process.info().command().map(c -> Path.of(c).getFileName()).map(Path::toString).orElse("");
    boolean wings =
        process
            .info()
            .arguments()
            .map(arguments -> List.of(arguments).stream().anyMatch(a -> a.contains("wings")))
            .orElse(false);
    return name.isEmpty() ? "" : " (" + (wings ? "wings, " : "") + name + ")";
  }
}
