package io.wings.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.io.LocalFileIO;
import io.wings.cli.SecretFile;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableLayout;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;

/** The demo's tenant: Wings' own catalog over a warehouse beside the cluster. */
final class DemoTenant {
  private static final int VERIFIER_HEAP_MEGABYTES = 768;

  private final Path home;
  private final Path secret;
  private final String ioImplementation;

  private DemoTenant(Path home, Path secret, String ioImplementation) {
    this.home = home;
    this.secret = secret;
    this.ioImplementation = ioImplementation;
  }

  /**
   * Writes the tenant's secret.
   *
   * @param home directory of this demo
   * @param store the cluster's; a bucket's warehouse is {@code <prefix>-warehouse} in it
   */
  static DemoTenant prepare(Path home, StoreArguments store) throws IOException {
    ObjectNode properties = WingsClient.JSON.createObjectNode().put("type", "wings");
    String io;
    if (store.onS3()) {
      properties.put("warehouse", store.address().replaceAll("/+$", "") + "-warehouse");
      store.icebergProperties().forEach(properties::put);
      io = "org.apache.iceberg.aws.s3.S3FileIO";
    } else {
      Path warehouse = Files.createDirectories(home.resolve("warehouse"));
      properties.put("warehouse", "file://" + warehouse.toRealPath());
      io = LocalFileIO.class.getName();
    }
    Path secret = SecretFile.write(home.resolve("demo.secret.json"), properties.toString());
    return new DemoTenant(home, secret, io);
  }

  /** Where the tenant's Iceberg properties are. */
  Path secret() {
    return secret;
  }

  void createTable(WingsClient client, TableName table, Schema schema, boolean orders) {
    List<String> partitions = orders ? List.of("day(ordered_at)") : List.of();
    List<String> sort = orders ? List.of("customer_id") : List.of();
    new TableCreation(table)
        .create(
            client,
            schema,
            TableLayout.partitionSpec(partitions),
            TableLayout.sortOrder(sort),
            Map.of());
  }

  /** Runs {@code wings verify} as another process and returns its report. */
  JsonNode verify(String metadata, Path sent) throws IOException, InterruptedException {
    List<String> command =
        RoleProcess.command(
            VERIFIER_HEAP_MEGABYTES,
            List.of(
                "verify",
                "--metadata",
                metadata,
                "--sent",
                sent.toString(),
                "--io",
                ioImplementation,
                "--io-properties",
                secret.toString()));
    Path log = home.resolve("logs").resolve("verify.log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    byte[] out = process.getInputStream().readAllBytes();
    process.waitFor();
    String text = new String(out, StandardCharsets.UTF_8).strip();
    if (!text.startsWith("{")) {
      throw new WingsException(
          ErrorKind.INTERNAL, "verify-failed", "the reader gave no report, see " + log);
    }
    return WingsClient.json(text.getBytes(StandardCharsets.UTF_8));
  }
}
