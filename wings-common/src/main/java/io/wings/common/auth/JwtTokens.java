package io.wings.common.auth;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.wings.common.cluster.Printable;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.time.Time;
import java.net.MalformedURLException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON Web Tokens, signed by a key of the issuer's set. A rotated set is read when a token names a
 * key that isn't known, at most every few seconds; keys that can't be fetched for a while stay in
 * force. Symmetric and unsigned tokens are never accepted.
 */
public final class JwtTokens implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(JwtTokens.class);

  static final int MAX_TOKEN_CHARS = 16 << 10;
  static final int MAX_GROUPS = 1_000;

  /** Of two machines' clocks. */
  private static final Duration SKEW = Duration.ofSeconds(30);

  private static final Duration FETCH_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration KEEP = Duration.ofMinutes(5);
  private static final Duration OUTAGE = Duration.ofHours(4);
  private static final Duration BETWEEN_FETCHES = Duration.ofSeconds(10);
  private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(1);

  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /** {@code typ}: none, that of RFC 7519, or that of access tokens, RFC 9068. */
  private static final Set<@Nullable JOSEObjectType> TYPES =
      new HashSet<@Nullable JOSEObjectType>(
          Arrays.asList(
              null,
              JOSEObjectType.JWT,
              new JOSEObjectType("at+jwt"),
              new JOSEObjectType("application/at+jwt")));

  private final JwtSettings settings;
  private final Time time;

  /** Null for keys that are fetched. */
  private final @Nullable ReloadedFile<JWKSet> file;

  private final AtomicLong reportedNanos;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  /**
   * Fetches keys from an address when the first token comes; reads a file at once.
   *
   * @throws WingsException {@code jwt-invalid}
   */
  public JwtTokens(JwtSettings settings, Time time) {
    this.settings = settings;
    this.time = time;
    this.file =
        settings.keys().getScheme().equals("file")
            ? new ReloadedFile<>(Path.of(settings.keys()), "jwt-invalid", JwtTokens::parse, time)
            : null;
    this.reportedNanos = new AtomicLong(time.nanos() - BETWEEN_REPORTS.toNanos());
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(TYPES));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(
            ALGORITHMS,
            file == null ? fetched(settings) : (selector, _) -> selector.select(file.get())));
    DefaultJWTClaimsVerifier<SecurityContext> claims =
        new DefaultJWTClaimsVerifier<>(
            settings.audiences(),
            new JWTClaimsSet.Builder().issuer(settings.issuer()).build(),
            Set.of("exp", settings.principalClaim()),
            Set.of());
    claims.setMaxClockSkew(Math.toIntExact(SKEW.toSeconds()));
    processor.setJWTClaimsSetVerifier(claims);
  }

  @Override
  public void watch(Lifecycle lifecycle, Threads threads) {
    if (file != null) {
      file.watch(lifecycle, threads);
    }
  }

  private static JWKSource<SecurityContext> fetched(JwtSettings settings) {
    try {
      int timeout = Math.toIntExact(FETCH_TIMEOUT.toMillis());
      return JWKSourceBuilder.create(
              settings.keys().toURL(),
              new DefaultResourceRetriever(
                  timeout, timeout, Math.toIntExact(ReloadedFile.MAX_FILE_BYTES)))
          .cache(KEEP.toMillis(), FETCH_TIMEOUT.multipliedBy(2).toMillis())
          .rateLimited(BETWEEN_FETCHES.toMillis())
          .outageTolerant(OUTAGE.toMillis())
          .retrying(true)
          .build();
    } catch (MalformedURLException e) {
      throw WingsException.invalid(
          "jwt-invalid", settings.keys() + " is no address: " + e.getMessage());
    }
  }

  private static JWKSet parse(String text) {
    try {
      return JWKSet.parse(text);
    } catch (ParseException e) {
      throw WingsException.invalid("jwt-invalid", "no JSON Web Key Set: " + e.getMessage());
    }
  }

  /** Whether a token has the three parts of a signed JWT, the first of them a JSON object. */
  static boolean isLike(String token) {
    return token.startsWith("ey") && token.chars().filter(c -> c == '.').count() == 2;
  }

  @Override
  public Identity authenticate(Credentials credentials) {
    String token = credentials.token();
    if (token.length() > MAX_TOKEN_CHARS) {
      throw Credentials.unauthenticated("the token is longer than " + MAX_TOKEN_CHARS);
    }
    Identity identity;
    try {
      identity = identity(processor.process(token, null));
    } catch (KeySourceException e) {
      throw WingsException.unavailable(
          "keys-unavailable", "the keys of tokens can't be fetched; send again", e);
    } catch (ExpiredJWTException _) {
      throw Credentials.unauthenticated("the token has expired");
    } catch (ParseException | BadJOSEException | com.nimbusds.jose.JOSEException e) {
      report(e);
      throw Credentials.unauthenticated("the token is not accepted");
    }
    if (credentials.principal() != null && !credentials.principal().equals(identity.principal())) {
      throw Credentials.unauthenticated("the token is not accepted");
    }
    return identity;
  }

  /** Anybody may send anything: what is wrong is told at most once a second. */
  private void report(Exception refusal) {
    long last = reportedNanos.get();
    if (time.since(last).compareTo(BETWEEN_REPORTS) >= 0
        && reportedNanos.compareAndSet(last, time.nanos())) {
      // What the library says names claims and keys, never the token; it quotes the header, though.
      log.info("a token is refused: {}", Printable.of(String.valueOf(refusal.getMessage())));
    }
  }

  private Identity identity(JWTClaimsSet claims) throws ParseException {
    String principal = claims.getStringClaim(settings.principalClaim());
    if (principal == null || !Identity.isPrincipal(principal)) {
      throw Credentials.unauthenticated(
          "the token's claim '%s' is no principal: 1 to %d characters, no colon, no control characters"
              .formatted(settings.principalClaim(), Identity.MAX_PRINCIPAL_CHARS));
    }
    List<String> groups =
        claims.getClaim(settings.groupsClaim()) == null
            ? List.of()
            : claims.getStringListClaim(settings.groupsClaim());
    if (groups.size() > MAX_GROUPS) {
      throw Credentials.unauthenticated("the token lists more than " + MAX_GROUPS + " groups");
    }
    return new Identity(principal, Set.copyOf(groups));
  }
}
