package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectKeys;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket, or a prefix in one. Versions are etags.
 *
 * <p>The SDK repeats reads, listings and deletes a few times; puts never.
 */
public final class S3Store implements ObjectStore {
  private static final String CONTENT_TYPE = "application/octet-stream";
  private static final int RANGE_NOT_SATISFIABLE = 416;

  private final S3Clients.Opened clients;
  private final S3Address address;

  /** Empty, or ends in a slash. */
  private final String prefix;

  private S3Store(S3Address address, S3Clients.Opened opened) {
    this.address = address;
    this.clients = opened;
    this.prefix = address.prefix().isEmpty() ? "" : address.prefix() + "/";
  }

  /**
   * Opens {@code s3://bucket/prefix}; connects at the first call.
   *
   * @throws io.wings.common.error.WingsException INVALID {@code store-address-invalid}
   */
  public static S3Store open(String address, StoreOptions options) {
    return open(address, options, S3Clients.SOCKET_TIMEOUT);
  }

  static S3Store open(String address, StoreOptions options, Duration socketTimeout) {
    return new S3Store(S3Address.parse(address), S3Clients.open(options, socketTimeout));
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder().bucket(address.bucket()).key(path(key));
    switch (condition) {
      case PutCondition.Any() -> {}
      case PutCondition.IfAbsent() -> request.ifNoneMatch("*");
      case PutCondition.IfVersion(String version) -> request.ifMatch(version);
    }
    RequestBody content =
        RequestBody.fromContentProvider(() -> new BodyStream(body), body.size(), CONTENT_TYPE);
    requireCredentials("put of " + key);
    try {
      return new PutOutcome.Written(clients.puts().putObject(request.build(), content).eTag());
    } catch (SdkException e) {
      return S3Errors.ofPut(what("put", key), condition, e);
    }
  }

  /** So that a put that fails for want of credentials, and never left, isn't called unknown. */
  private void requireCredentials(String what) {
    try {
      clients.credentials().resolveCredentials();
    } catch (SdkException e) {
      throw S3Errors.failure(what, e);
    }
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return reading("get", key, () -> fetch(key, null))
        .map(
            bytes ->
                new StoredObject(
                    head(key, bytes.response(), bytes.response().contentLength()),
                    bytes.asByteArrayUnsafe()));
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    // S3 knows no empty range.
    if (length == 0) {
      return head(key).map(S3Store::nothing);
    }
    String range =
        offset < 0 ? "bytes=-" + length : "bytes=" + offset + "-" + (offset + length - 1);
    return reading(
        "ranged get",
        key,
        () -> {
          try {
            return part(key, fetch(key, range));
          } catch (AwsServiceException e) {
            if (e.statusCode() == RANGE_NOT_SATISFIABLE) {
              return nothing(requireHead(key));
            }
            throw e;
          }
        });
  }

  private static StoredObject nothing(ObjectHead head) {
    return new StoredObject(head, new byte[0]);
  }

  private static StoredObject part(String key, ResponseBytes<GetObjectResponse> bytes) {
    String range = bytes.response().contentRange();
    if (range == null && bytes.asByteArrayUnsafe().length == 0) {
      // An empty object has no part: some stores answer it whole, others that there is none.
      return nothing(head(key, bytes.response(), 0));
    }
    if (range == null) {
      throw new StoreException("the store ignored the range asked of " + key, false, null);
    }
    long size = Long.parseLong(range.substring(range.lastIndexOf('/') + 1));
    return new StoredObject(head(key, bytes.response(), size), bytes.asByteArrayUnsafe());
  }

  private ResponseBytes<GetObjectResponse> fetch(String key, @Nullable String range) {
    return clients
        .reads()
        .getObject(
            GetObjectRequest.builder().bucket(address.bucket()).key(path(key)).range(range).build(),
            ResponseTransformer.toBytes());
  }

  private static ObjectHead head(String key, GetObjectResponse response, long size) {
    return new ObjectHead(key, response.eTag(), size, modified(response.lastModified()));
  }

  private static Instant modified(@Nullable Instant reported) {
    return reported == null ? Instant.EPOCH : reported;
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    return reading("head", key, () -> requireHead(key));
  }

  private ObjectHead requireHead(String key) {
    HeadObjectResponse response =
        clients.reads().headObject(request -> request.bucket(address.bucket()).key(path(key)));
    return new ObjectHead(
        key, response.eTag(), response.contentLength(), modified(response.lastModified()));
  }

  /** Empty when there is no such object. */
  private <T> Optional<T> reading(String verb, String key, Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (AwsServiceException e) {
      if (S3Errors.isMissingKey(e)) {
        return Optional.empty();
      }
      throw S3Errors.failure(what(verb, key), e);
    } catch (SdkException e) {
      throw S3Errors.failure(what(verb, key), e);
    }
  }

  @Override
  public Iterator<ObjectHead> list(String keyPrefix, String startAfter) {
    ObjectKeys.requirePrefix(keyPrefix);
    ObjectKeys.requirePrefix(startAfter);
    ListObjectsV2Request request =
        ListObjectsV2Request.builder()
            .bucket(address.bucket())
            .prefix(prefix + keyPrefix)
            .startAfter(startAfter.isEmpty() ? null : prefix + startAfter)
            .build();
    Iterator<S3Object> objects =
        listing(
            keyPrefix, () -> clients.reads().listObjectsV2Paginator(request).contents().iterator());
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return listing(keyPrefix, objects::hasNext);
      }

      @Override
      public ObjectHead next() {
        S3Object object = listing(keyPrefix, objects::next);
        return new ObjectHead(
            object.key().substring(prefix.length()),
            object.eTag(),
            object.size(),
            modified(object.lastModified()));
      }
    };
  }

  private <T> T listing(String keyPrefix, Supplier<T> call) {
    try {
      return call.get();
    } catch (SdkException e) {
      throw S3Errors.failure(what("list", keyPrefix), e);
    }
  }

  @Override
  public void delete(String key) {
    reading(
        "delete",
        key,
        () ->
            clients
                .reads()
                .deleteObject(request -> request.bucket(address.bucket()).key(path(key))));
  }

  private String path(String key) {
    return prefix + ObjectKeys.requireKey(key);
  }

  private String what(String verb, String key) {
    return "%s of %s in %s".formatted(verb, key, address);
  }

  @Override
  public String address() {
    return address.toString();
  }

  @Override
  public void close() {
    clients.close();
  }
}
