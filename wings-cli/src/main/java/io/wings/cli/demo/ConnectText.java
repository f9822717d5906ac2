package io.wings.cli.demo;

import io.wings.cli.client.TableName;

/** How people reach a cluster that was left running. */
final class ConnectText {
  private ConnectText() {}

  /**
   * The text.
   *
   * @param flight {@code grpc://host:port}
   * @param rest the REST catalog, {@code http://host:port}
   */
  static String of(String flight, String rest, TableName table) {
    String namespace = String.join(".", table.namespace());
    return """

        pyarrow    import pyarrow.flight as fl
                   client = fl.connect("%1$s")
                   descriptor = fl.FlightDescriptor.for_path("%3$s", "%4$s", "%5$s")
        PyIceberg  from pyiceberg.catalog import load_catalog
                   load_catalog("%3$s", uri="%2$s", warehouse="%3$s").load_table("%4$s.%5$s").scan().to_arrow()
        Spark      spark-sql --packages org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 \\
                     --conf spark.sql.catalog.%3$s=org.apache.iceberg.spark.SparkCatalog \\
                     --conf spark.sql.catalog.%3$s.type=rest --conf spark.sql.catalog.%3$s.uri=%2$s \\
                     --conf spark.sql.catalog.%3$s.warehouse=%3$s
                   SELECT count(*) FROM %3$s.%4$s.%5$s
        Trino      connector.name=iceberg
                   iceberg.catalog.type=rest
                   iceberg.rest-catalog.uri=%2$s
                   iceberg.rest-catalog.warehouse=%3$s
                   fs.native-local.enabled=true
        """
        .formatted(flight, rest, table.catalog(), namespace, table.table());
  }
}
