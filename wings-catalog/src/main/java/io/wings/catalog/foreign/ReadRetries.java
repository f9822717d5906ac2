package io.wings.catalog.foreign;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Set;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/** What only asks is asked again, a few times; a post is never sent twice. */
final class ReadRetries implements HttpRequestRetryStrategy {
  private static final int MAX_RETRIES = 2;
  private static final Set<String> READS = Set.of("GET", "HEAD");
  private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);
  private static final TimeValue FIRST_PAUSE = TimeValue.ofSeconds(1);

  @Override
  public boolean retryRequest(
      HttpRequest request, IOException failure, int attempt, HttpContext context) {
    return attempt <= MAX_RETRIES
        && READS.contains(request.getMethod())
        && !(failure instanceof InterruptedIOException
            || failure instanceof MessageConstraintException);
  }

  @Override
  public boolean retryRequest(HttpResponse answer, int attempt, HttpContext context) {
    HttpRequest request = HttpClientContext.cast(context).getRequest();
    return attempt <= MAX_RETRIES
        && request != null
        && READS.contains(request.getMethod())
        && PASSING.contains(answer.getCode());
  }

  @Override
  public TimeValue getRetryInterval(
      HttpRequest request, IOException failure, int attempt, HttpContext context) {
    return FIRST_PAUSE;
  }

  @Override
  public TimeValue getRetryInterval(
      @Nullable HttpResponse answer, int attempt, HttpContext context) {
    return TimeValue.ofSeconds(FIRST_PAUSE.getDuration() << (attempt - 1));
  }
}
