package io.wings.common.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.SteppedTime;
import io.wings.common.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JwtTokensTest {
  private static final String ISSUER = "https://issuer.example";

  private static RSAKey key;
  private static RSAKey other;

  @TempDir private Path folder;

  @BeforeAll
  static void makeKeys() throws JOSEException {
    key = new RSAKeyGenerator(2048).keyID("first").generate();
    other = new RSAKeyGenerator(2048).keyID("second").generate();
  }

  private static String published(RSAKey... keys) {
    return new JWKSet(List.of(keys)).toPublicJWKSet().toString();
  }

  private JwtTokens tokens() throws IOException {
    return tokens(Files.writeString(folder.resolve("keys.json"), published(key)).toUri());
  }

  private static JwtTokens tokens(URI keys) {
    return tokens(keys, Time.system());
  }

  private static JwtTokens tokens(URI keys, Time time) {
    return new JwtTokens(new JwtSettings(keys, ISSUER, Set.of("wings"), "sub", "groups"), time);
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience("wings")
        .subject("etl")
        .claim("groups", List.of("writers", "eu"))
        .expirationTime(Date.from(Instant.now().plus(Duration.ofHours(1))));
  }

  private static String signed(RSAKey by, JWTClaimsSet claims) throws JOSEException {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(by.getKeyID()).build(), claims);
    token.sign(new RSASSASigner(by));
    return token.serialize();
  }

  private static Credentials bearer(String token) {
    return new Credentials(null, token);
  }

  @Test
  void knowsPrincipalAndGroupsOfASignedToken() throws Exception {
    Identity identity = tokens().authenticate(bearer(signed(key, claims().build())));
    assertEquals(new Identity("etl", Set.of("writers", "eu")), identity);
    JWTClaimsSet alone = claims().claim("groups", null).build();
    assertEquals(new Identity("etl"), tokens().authenticate(bearer(signed(key, alone))));
  }

  private void refused(String token) throws IOException {
    JwtTokens tokens = tokens();
    WingsException error =
        assertThrows(WingsException.class, () -> tokens.authenticate(bearer(token)));
    assertEquals(ErrorKind.UNAUTHENTICATED, error.kind(), error.toString());
    assertFalse(error.toString().contains(token), "a token is never repeated");
  }

  private void refusedWith(UnaryOperator<JWTClaimsSet.Builder> change) throws Exception {
    refused(signed(key, change.apply(claims()).build()));
  }

  @Test
  void refusesWhatIsNotMeantForIt() throws Exception {
    refusedWith(claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(120))));
    refusedWith(claims -> claims.expirationTime(null));
    refusedWith(claims -> claims.notBeforeTime(Date.from(Instant.now().plusSeconds(600))));
    refusedWith(claims -> claims.audience("billing"));
    refusedWith(claims -> claims.audience((String) null));
    refusedWith(claims -> claims.issuer("https://elsewhere.example"));
    refusedWith(claims -> claims.subject(null));
    refusedWith(claims -> claims.subject("a:b"));
    refusedWith(claims -> claims.subject("x".repeat(129)));
    refusedWith(claims -> claims.claim("groups", "not a list"));
  }

  @Test
  void refusesWhatTheIssuerHasNotSigned() throws Exception {
    refused(signed(other, claims().build()));
    RSAKey impostor = new RSAKeyGenerator(2048).keyID(key.getKeyID()).generate();
    refused(signed(impostor, claims().build()));
    refused(new PlainJWT(claims().build()).serialize());
    String good = signed(key, claims().build());
    refused(good.substring(0, good.lastIndexOf('.') + 1));
    refused("ey.ey.ey");
    refused("x".repeat(JwtTokens.MAX_TOKEN_CHARS + 1));
  }

  /** RFC 9068: what a server of OAuth 2 gives out for access. */
  @Test
  void believesAccessTokensAndNoOtherKindOfToken() throws Exception {
    for (String type : List.of("JWT", "at+jwt", "application/at+jwt")) {
      assertEquals("etl", tokens().authenticate(bearer(ofType(type))).principal(), type);
    }
    refused(ofType("logout+jwt"));
    refused(ofType("x\n2026-01-01T00:00:00.000Z INFO  [main] audit - {\"who\":\"boss\"}"));
  }

  private static String ofType(String type) throws JOSEException {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(key.getKeyID())
                .type(new JOSEObjectType(type))
                .build(),
            claims().build());
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  /** The public key is no secret. */
  @Test
  void refusesATokenThatIsSignedWithThePublicKeyAsASecret() throws Exception {
    SignedJWT forged =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(key.getKeyID()).build(),
            claims().build());
    forged.sign(new MACSigner(key.toPublicJWK().toString().getBytes(StandardCharsets.UTF_8)));
    refused(forged.serialize());
  }

  @Test
  void aNameThatIsShownBesideATokenHasToBeItsOwn() throws Exception {
    JwtTokens tokens = tokens();
    String token = signed(key, claims().build());
    assertEquals("etl", tokens.authenticate(new Credentials("etl", token)).principal());
    assertThrows(WingsException.class, () -> tokens.authenticate(new Credentials("root", token)));
  }

  @Test
  void keysOfAFileAreRotated() throws Exception {
    SteppedTime time = new SteppedTime();
    Path file = Files.writeString(folder.resolve("keys.json"), published(key));
    JwtTokens tokens = tokens(file.toUri(), time);
    String next = signed(other, claims().build());
    assertThrows(WingsException.class, () -> tokens.authenticate(bearer(next)));
    Files.writeString(file, published(key, other));
    time.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("etl", tokens.authenticate(bearer(next)).principal());
    Files.writeString(file, "{");
    time.sleep(ReloadedFile.CHECK_INTERVAL);
    assertEquals("etl", tokens.authenticate(bearer(next)).principal(), "the last good ones");
  }

  @Test
  void keysOfAnAddressAreFetched() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
    server.createContext(
        "/keys",
        exchange -> {
          byte[] body = published(key).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    URI keys = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/keys");
    JwtTokens tokens = tokens(keys);
    String token = signed(key, claims().build());
    assertEquals("etl", tokens.authenticate(bearer(token)).principal());
    server.stop(0);
    assertEquals("etl", tokens.authenticate(bearer(token)).principal(), "they are remembered");
    WingsException away =
        assertThrows(WingsException.class, () -> tokens(keys).authenticate(bearer(token)));
    assertEquals(ErrorKind.UNAVAILABLE, away.kind(), "nobody can tell: " + away);
  }

  @Test
  void staticTokensStandBesideSignedOnes() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("tokens.jsonl"),
            "{\"principal\":\"loader\",\"sha256\":"
                + "\"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\"}\n");
    Authenticator both = new Authenticator.Either(new TokenFile(file, Time.system()), tokens());
    assertEquals("loader", both.authenticate(bearer("secret")).principal());
    assertEquals("etl", both.authenticate(bearer(signed(key, claims().build()))).principal());
  }

  @Test
  void refusesSettingsThatBelieveAnybody() {
    assertInvalid(URI.create("ftp://x/keys"), ISSUER, Set.of("wings"));
    assertInvalid(URI.create("http://x/keys"), ISSUER, Set.of("wings"));
    assertInvalid(URI.create("http://localhost.example/keys"), ISSUER, Set.of("wings"));
    assertInvalid(URI.create("//localhost/keys"), ISSUER, Set.of("wings"));
    assertInvalid(URI.create("https://x/keys"), " ", Set.of("wings"));
    assertInvalid(URI.create("https://x/keys"), ISSUER, Set.of());
  }

  private static void assertInvalid(URI keys, @Nullable String issuer, Set<String> audiences) {
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> new JwtSettings(keys, String.valueOf(issuer), audiences, "sub", "groups"));
    assertTrue(error.code().equals("jwt-invalid"), error.toString());
  }
}
