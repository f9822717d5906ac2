package io.wings.catalog.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocationsTest {
  @ParameterizedTest
  @CsvSource({
    "s3://b/shop/orders/data/a.parquet, s3://b/shop/orders/data, true",
    "s3://b/shop/orders/data/a.parquet, s3://b/shop/orders/data/, true",
    "s3a://b/shop/orders/data/a.parquet, s3://b/shop/orders/data, true",
    "s3://b/shop/orders, s3://b/shop, true",
    "s3://b/shop/orders2/data/a.parquet, s3://b/shop/orders, false",
    "s3://b/shop/orders, s3://b/shop/orders, false",
    "s3://b/shop/orders/../y/a.parquet, s3://b/shop/orders, false",
    "s3://b/shop/orders/./a.parquet, s3://b/shop/orders, false",
    "s3://c/shop/orders/a.parquet, s3://b/shop/orders, false",
    "gs://b/shop/orders/a.parquet, s3://b/shop/orders, false",
    "/shop/orders/a.parquet, s3://b/shop, false",
    "s3://b/shop/orders/a.parquet, /shop, false",
    "file:///shop/orders/a.parquet, /shop/orders, true",
    "//shop/orders/a.parquet, /shop/orders, true",
    "/shop/orders/../orders/a.parquet, file:/shop/orders, true",
    "/shop/orders/../y/a.parquet, /shop/orders, false",
    "/shop/orders2/a.parquet, /shop/orders, false",
    "/shop/orders/, /shop/orders, false",
    "relative/a.parquet, /shop, false",
    "file://host/shop/a.parquet, /shop, false",
  })
  void belowIsLevelByLevel(String location, String directory, boolean below) {
    assertThat(Locations.isBelow(location, directory)).isEqualTo(below);
  }
}
