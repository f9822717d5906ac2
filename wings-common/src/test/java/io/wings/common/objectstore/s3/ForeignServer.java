package io.wings.common.objectstore.s3;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.wings.common.objectstore.StoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;

/**
 * A server of S3's protocol that Wings didn't write, as a process of its own over a directory. Its
 * binary is named by the environment; {@code .ci/run} builds what it can.
 */
public final class ForeignServer implements S3Server {
  private static final String BUCKET = "wings-test";
  private static final String ACCESS_KEY = "test-key";
  private static final String SECRET_KEY = "test-secret";
  private static final Duration LONGEST_START = Duration.ofSeconds(60);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  /** Some servers take a second port, this much higher. */
  private static final int PORT_DISTANCE = 10_000;

  private static final Random RANDOM = new Random();

  private final Process process;
  private final Path log;
  private final URI endpoint;

  /** Which. */
  public enum Kind {
    /** Versity S3 Gateway, over a file system. */
    VERSITYGW("WINGS_VERSITYGW"),
    /** SeaweedFS: master, volume server, filer and gateway in one process. */
    SEAWEEDFS("WINGS_WEED");

    private final String variable;

    Kind(String variable) {
      this.variable = variable;
    }

    /** Its binary, where the environment names one. */
    public Optional<Path> binary() {
      return Optional.ofNullable(System.getenv(variable))
          .filter(path -> !path.isEmpty())
          .map(Path::of);
    }

    /** Skips the test, by name, where the environment names no binary. */
    public void assumeNamed() {
      assumeTrue(
          binary().isPresent(), variable + " names no binary of " + this + "; .ci/run builds it");
    }

    private List<String> command(Path binary, Path directory, int port) throws IOException {
      return switch (this) {
        case VERSITYGW ->
            List.of(
                binary.toString(),
                "--port",
                "127.0.0.1:" + port,
                "--quiet",
                "--keep-alive",
                "posix",
                Files.createDirectories(directory.resolve("buckets")).toString());
        case SEAWEEDFS ->
            List.of(
                binary.toString(),
                "server",
                "-dir=" + Files.createDirectories(directory.resolve("volumes")),
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                "-master.port=" + freePort(),
                "-volume.port=" + freePort(),
                "-volume.max=20",
                "-master.volumeSizeLimitMB=64",
                "-filer",
                "-filer.port=" + freePort(),
                "-s3",
                "-s3.port=" + port,
                "-s3.config=" + Files.writeString(directory.resolve("s3.json"), IDENTITIES));
      };
    }
  }

  private static final String IDENTITIES =
      """
      {"identities": [{"name": "test", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        "credentials": [{"accessKey": "%s", "secretKey": "%s"}]}]}
      """
          .formatted(ACCESS_KEY, SECRET_KEY);

  private ForeignServer(Process process, Path log, URI endpoint) {
    this.process = process;
    this.log = log;
    this.endpoint = endpoint;
  }

  /** Starts one with its objects and its log in {@code directory}, and makes the bucket. */
  public static ForeignServer start(Kind kind, Path directory) throws IOException {
    Path log = directory.resolve("server.log");
    int port = freePort();
    ProcessBuilder builder =
        new ProcessBuilder(kind.command(kind.binary().orElseThrow(), directory, port))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(Map.of("ROOT_ACCESS_KEY", ACCESS_KEY, "ROOT_SECRET_KEY", SECRET_KEY));
    ForeignServer server =
        new ForeignServer(builder.start(), log, URI.create("http://127.0.0.1:" + port));
    try {
      server.makeBucket();
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void makeBucket() throws IOException {
    long begun = System.nanoTime();
    try (S3Clients.Opened clients = S3Clients.open(options(), S3Clients.SOCKET_TIMEOUT)) {
      while (true) {
        try {
          clients.puts().createBucket(request -> request.bucket(BUCKET));
          return;
        } catch (BucketAlreadyOwnedByYouException e) {
          return;
        } catch (SdkException e) {
          if (!process.isAlive() || System.nanoTime() - begun > LONGEST_START.toNanos()) {
            throw new IOException("the server doesn't serve: " + Files.readString(log), e);
          }
        }
        Thread.sleep(BETWEEN_LOOKS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** One that is free, as is the one above it at {@link #PORT_DISTANCE}. */
  private static int freePort() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = 20_000 + RANDOM.nextInt(10_000);
      if (isFree(port) && isFree(port + PORT_DISTANCE)) {
        return port;
      }
    }
    throw new IOException("no free port");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public URI endpoint() {
    return endpoint;
  }

  @Override
  public StoreOptions options() {
    return StoreOptions.compatible(
        endpoint, "us-east-1", new StoreOptions.Credentials(ACCESS_KEY, SECRET_KEY));
  }

  @Override
  public String address(String prefix) {
    return "s3://" + BUCKET + "/" + prefix;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
