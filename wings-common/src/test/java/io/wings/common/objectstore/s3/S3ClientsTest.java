package io.wings.common.objectstore.s3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.wings.common.objectstore.StoreOptions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

class S3ClientsTest {
  @Test
  void aTemporaryKeySignsWithItsSessionToken() {
    StoreOptions.Credentials key = new StoreOptions.Credentials("id", "hush", Optional.of("quiet"));
    AwsSessionCredentials session =
        assertInstanceOf(AwsSessionCredentials.class, S3Clients.credentials(key));
    assertEquals("quiet", session.sessionToken());
    assertFalse(key.toString().contains("quiet"));
  }

  @Test
  void aKeyThatDoesntEndHasNone() {
    assertInstanceOf(
        AwsBasicCredentials.class,
        S3Clients.credentials(new StoreOptions.Credentials("id", "hush")));
  }
}
