package io.wings.spark;

import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * Runs queries in a Spark of its own over an Iceberg REST catalog and prints each result row as one
 * line of JSON.
 *
 * <p>Arguments: catalog name, REST uri, warehouse, then queries.
 */
public final class SparkReader {
  private SparkReader() {}

  public static void main(String[] args) {
    String catalog = "spark.sql.catalog." + args[0];
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .appName("wings-reader")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.session.timeZone", "UTC")
            .config(
                "spark.sql.extensions",
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
            .config(catalog, "org.apache.iceberg.spark.SparkCatalog")
            .config(catalog + ".type", "rest")
            .config(catalog + ".uri", args[1])
            .config(catalog + ".warehouse", args[2])
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    for (String query : List.of(args).subList(3, args.length)) {
      spark.sql(query).toJSON().collectAsList().forEach(System.out::println);
    }
    spark.stop();
  }
}
