package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStoreContract;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.MinIOContainer;

/** Through MinIO in a container, where a Docker engine answers. */
@EnabledIf(
    value = "dockerAnswers",
    disabledReason = "no Docker engine answers: MinIO is not tested here, S3Proxy is")
class MinioStoreTest extends ObjectStoreContract {
  private static final String IMAGE = "minio/minio:RELEASE.2025-09-07T16-13-09Z";
  private static final AtomicInteger PLACES = new AtomicInteger();
  private static final MinIOContainer SERVER = new MinIOContainer(IMAGE);

  private final String address = "s3://wings-test/place-" + PLACES.incrementAndGet();

  static boolean dockerAnswers() {
    return DockerClientFactory.instance().isDockerAvailable();
  }

  @BeforeAll
  static void startServer() throws Exception {
    SERVER.start();
    SERVER.execInContainer(
        "sh",
        "-c",
        "mc alias set here http://127.0.0.1:9000 %s %s && mc mb here/wings-test"
            .formatted(SERVER.getUserName(), SERVER.getPassword()));
  }

  @AfterAll
  static void stopServer() {
    SERVER.stop();
  }

  @Override
  protected ObjectStore openHandle() {
    return ObjectStores.open(
        address,
        StoreOptions.compatible(
            URI.create(SERVER.getS3URL()),
            "us-east-1",
            new StoreOptions.Credentials(SERVER.getUserName(), SERVER.getPassword())));
  }
}
