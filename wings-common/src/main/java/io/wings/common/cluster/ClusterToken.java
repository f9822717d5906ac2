package io.wings.common.cluster;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.wings.common.error.WingsException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's shared secret, by which its roles know one another.
 *
 * @param value printable ASCII
 */
public record ClusterToken(String value) {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("wings-cluster-token", Metadata.ASCII_STRING_MARSHALLER);

  public ClusterToken {
    if (value.isBlank() || !value.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw WingsException.invalid(
          "cluster-token-invalid", "expected printable ASCII without spaces");
    }
  }

  /** Whether a caller with these headers knows the secret. */
  public boolean matches(Metadata headers) {
    @Nullable String claimed = headers.get(HEADER);
    return claimed != null
        && MessageDigest.isEqual(
            claimed.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds it to the headers of a call. */
  public void addTo(Metadata headers) {
    headers.put(HEADER, value);
  }

  /** Attaches it to a client's calls. */
  public CallCredentials credentials() {
    Metadata headers = new Metadata();
    addTo(headers);
    return new CallCredentials() {
      @Override
      public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier apply) {
        apply.apply(headers);
      }
    };
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "ClusterToken";
  }
}
