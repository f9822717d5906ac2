package io.wings.common.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;

/** An issuer of signed tokens, made for a test. */
public final class TestIssuer {
  public static final String NAME = "https://issuer.example";
  public static final String AUDIENCE = "wings";

  private static final String KEY_ID = "first";
  private static final Date LATER = Date.from(Instant.parse("2999-01-01T00:00:00Z"));
  private static final Date EARLIER = Date.from(Instant.parse("2001-01-01T00:00:00Z"));

  private final ECKey key = key();
  private final ECKey impostors = key();
  private final Path file;

  /** What is wrong with a token. */
  public enum Flaw {
    EXPIRED,
    WRONG_AUDIENCE,
    /** Signed by somebody else who says that his key is the issuer's. */
    WRONG_KEY,
    /** {@code alg: none}. */
    UNSIGNED
  }

  /**
   * Publishes its key.
   *
   * @param directory where the JSON Web Key Set is written
   */
  public TestIssuer(Path directory) {
    try {
      String keys = new JWKSet(List.of(key)).toPublicJWKSet().toString();
      this.file = Files.writeString(directory.resolve("jwks.json"), keys);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ECKey key() {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(KEY_ID).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Believes it. */
  public Authenticator authenticator() {
    return new JwtTokens(
        new JwtSettings(
            file.toUri(),
            NAME,
            Set.of(AUDIENCE),
            JwtSettings.PRINCIPAL_CLAIM,
            JwtSettings.GROUPS_CLAIM),
        Time.system());
  }

  /** Where its keys are. */
  public Path keys() {
    return file;
  }

  /** A token that is good for centuries. */
  public String token(String principal) {
    return signed(key, claims(principal, AUDIENCE, LATER));
  }

  public String token(String principal, Flaw flaw) {
    return switch (flaw) {
      case EXPIRED -> signed(key, claims(principal, AUDIENCE, EARLIER));
      case WRONG_AUDIENCE -> signed(key, claims(principal, "billing", LATER));
      case WRONG_KEY -> signed(impostors, claims(principal, AUDIENCE, LATER));
      case UNSIGNED -> new PlainJWT(claims(principal, AUDIENCE, LATER)).serialize();
    };
  }

  private static JWTClaimsSet claims(String principal, String audience, Date expiry) {
    return new JWTClaimsSet.Builder()
        .issuer(NAME)
        .audience(audience)
        .subject(principal)
        .expirationTime(expiry)
        .build();
  }

  private static String signed(ECKey by, JWTClaimsSet claims) {
    try {
      SignedJWT token =
          new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(KEY_ID).build(), claims);
      token.sign(new ECDSASigner(by));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
