package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectStoresTest {
  private static final StoreOptions S3 =
      StoreOptions.compatible(
          URI.create("http://127.0.0.1:1"),
          "us-east-1",
          new StoreOptions.Credentials("id", "hush"));

  @Test
  void opensADirectoryByPathOrByAddress(@TempDir Path directory) throws Exception {
    Path place = directory.toRealPath().resolve("a b");
    try (ObjectStore byPath = ObjectStores.open(place.toString(), StoreOptions.defaults());
        ObjectStore byAddress = ObjectStores.open(byPath.address(), StoreOptions.defaults())) {
      byPath.put("k", Body.of(new byte[3]), PutCondition.any());
      assertEquals(3, byAddress.head("k").orElseThrow().size());
      assertEquals(byPath.address(), byAddress.address());
      assertEquals("file://" + place, byPath.address());
    }
  }

  @Test
  void namesABucketWithoutEndpointOrCredentials() {
    try (ObjectStore store = ObjectStores.open("s3://bucket/some/prefix/", S3)) {
      assertEquals("s3://bucket/some/prefix", store.address());
    }
    try (ObjectStore store = ObjectStores.open("s3://bucket", S3)) {
      assertEquals("s3://bucket", store.address());
    }
    assertFalse(S3.toString().contains("hush"), S3.toString());
  }

  @Test
  void decoratesAsAsked(@TempDir Path directory) {
    StoreOptions slow = StoreOptions.defaults().withSimulatedS3(true);
    try (ObjectStore store = ObjectStores.open(directory.toString(), slow)) {
      assertInstanceOf(LatencyStore.class, store);
    }
    StoreOptions ill = StoreOptions.defaults().withFaultFile(directory.resolve("faults"));
    try (ObjectStore store = ObjectStores.open(directory.toString(), ill)) {
      assertInstanceOf(FaultyStore.class, store);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "relative",
        "./x",
        "file:relative",
        "http://host/x",
        "s3:/bucket",
        "s3://",
        "s3://B",
        "s3://bucket/..",
        "s3://bucket/a b",
        "s3://bucket/a//b",
        "S3://bucket/x"
      })
  void refusesWhatIsNoAddress(String address) {
    WingsException thrown =
        assertThrows(WingsException.class, () -> ObjectStores.open(address, S3));
    assertEquals("store-address-invalid", thrown.code());
  }
}
