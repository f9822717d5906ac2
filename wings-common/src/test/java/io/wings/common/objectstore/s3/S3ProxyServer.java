package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.StoreOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * An S3 server in this process, on a free port of the loopback, with conditional writes made
 * atomic: S3Proxy itself checks and then writes.
 *
 * <p>Its locks are of this process: never two servers on one directory. Modules that use it add
 * {@code org.gaul:s3proxy} to their test dependencies.
 */
public final class S3ProxyServer implements S3Server {
  public static final String BUCKET = "wings-test";

  private static final String ACCESS_KEY = "test-key";
  private static final String SECRET_KEY = "test-secret";

  private final S3Proxy server;

  private S3ProxyServer(BlobStore store) {
    if (!store.containerExists(BUCKET)) {
      store.createContainer(BUCKET);
    }
    this.server =
        S3Proxy.builder()
            .blobStore(store)
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY)
            .build();
    try {
      server.start();
    } catch (Exception e) {
      throw new IllegalStateException("S3Proxy didn't start", e);
    }
  }

  /** Over objects in memory. */
  public static S3ProxyServer start() {
    return new S3ProxyServer(new Atomic(new TransientNio2BlobStore()));
  }

  /** Over objects in {@code directory}, whose file system has extended attributes. */
  public static S3ProxyServer start(Path directory) {
    return new S3ProxyServer(new Atomic(new FilesystemNio2BlobStore(directory.toString())));
  }

  /** S3Proxy as it is: conditions hold in sequence and, now and then, not under a race. */
  public static S3ProxyServer startUnlocked() {
    return new S3ProxyServer(new TransientNio2BlobStore());
  }

  /** A store that breaks conditions, each time. */
  public static S3ProxyServer start(Unsafe kind) {
    return new S3ProxyServer(new Unconditional(new TransientNio2BlobStore(), kind));
  }

  /** How a store breaks conditions. */
  public enum Unsafe {
    /** It doesn't look at them. */
    ALWAYS,
    /** It checks, takes its time, and writes. */
    UNDER_A_RACE
  }

  @Override
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getPort());
  }

  @Override
  public StoreOptions options() {
    return StoreOptions.compatible(
        endpoint(), "us-east-1", new StoreOptions.Credentials(ACCESS_KEY, SECRET_KEY));
  }

  @Override
  public String address(String prefix) {
    return "s3://" + BUCKET + "/" + prefix;
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("S3Proxy didn't stop", e);
    }
  }

  /** Writes whatever the condition, at once or a while after it has looked at it. */
  private static final class Unconditional extends ForwardingBlobStore {
    private static final Duration BETWEEN_CHECK_AND_WRITE = Duration.ofMillis(50);

    private final Unsafe kind;

    Unconditional(BlobStore delegate, Unsafe kind) {
      super(delegate);
      this.kind = kind;
    }

    @Override
    public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
      switch (kind) {
        case ALWAYS -> {}
        case UNDER_A_RACE -> {
          if (request.ifNoneMatch() != null
              && delegate().blobMetadataIfPresent(request.bucket(), request.key()) != null) {
            throw error(412, "PreconditionFailed");
          }
          check(delegate(), request.bucket(), request.key(), request.ifMatch());
          LockSupport.parkNanos(BETWEEN_CHECK_AND_WRITE.toNanos());
        }
      }
      PutObjectRequest bare = request.toBuilder().ifMatch(null).ifNoneMatch(null).build();
      return super.putBlob(bare, content);
    }
  }

  /** One lock per key, in stripes, around check and write. */
  private static final class Atomic extends ForwardingBlobStore {
    private static final int STRIPES = 256;

    private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

    Atomic(BlobStore delegate) {
      super(delegate);
      for (int i = 0; i < STRIPES; i++) {
        locks[i] = new ReentrantLock();
      }
    }

    @Override
    public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
      byte[] bytes;
      try {
        bytes = content.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return locked(
          request.bucket(),
          request.key(),
          () -> {
            check(delegate(), request.bucket(), request.key(), request.ifMatch());
            return super.putBlob(request, new ByteArrayInputStream(bytes));
          });
    }

    @Override
    public CompleteMultipartUploadResponse completeMultipartUpload(
        MultipartUpload upload, CompleteMultipartUploadRequest request) {
      return locked(
          request.bucket(),
          request.key(),
          () -> {
            check(delegate(), request.bucket(), request.key(), request.ifMatch());
            return super.completeMultipartUpload(upload, request);
          });
    }

    @Override
    public CopyObjectResponse copyBlob(CopyObjectRequest request) {
      return locked(
          request.destinationBucket(), request.destinationKey(), () -> super.copyBlob(request));
    }

    @Override
    public DeleteObjectResponse removeBlob(DeleteObjectRequest request) {
      return locked(request.bucket(), request.key(), () -> super.removeBlob(request));
    }

    private <T> T locked(String bucket, String key, Supplier<T> work) {
      ReentrantLock lock = locks[Math.floorMod(Objects.hash(bucket, key), STRIPES)];
      lock.lock();
      try {
        return work.get();
      } finally {
        lock.unlock();
      }
    }
  }

  private static void check(BlobStore blobs, String bucket, String key, @Nullable String ifMatch) {
    if (ifMatch == null) {
      return;
    }
    HeadObjectResponse current = blobs.blobMetadataIfPresent(bucket, key);
    if (current == null) {
      throw error(404, "NoSuchKey");
    }
    if (!unquoted(ifMatch).equals(unquoted(current.eTag()))) {
      throw error(412, "PreconditionFailed");
    }
  }

  private static String unquoted(String etag) {
    return etag.replace("\"", "");
  }

  private static S3Exception error(int status, String code) {
    return (S3Exception)
        S3Exception.builder()
            .statusCode(status)
            .message(code)
            .awsErrorDetails(
                AwsErrorDetails.builder()
                    .errorCode(code)
                    .errorMessage(code)
                    .sdkHttpResponse(SdkHttpResponse.builder().statusCode(status).build())
                    .build())
            .build();
  }
}
