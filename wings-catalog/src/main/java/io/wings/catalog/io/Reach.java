package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;

/**
 * What of the network tenants' secrets may name. Not the process's own machine, and not what a
 * cloud has for its machines alone: who writes a secret would speak to them with the process's
 * place in the network. As a resolver it decides on the very addresses that are connected to.
 *
 * @param anywhere those too
 * @param plaintext catalogs without TLS
 */
public record Reach(boolean anywhere, boolean plaintext) implements DnsResolver {
  private static final byte[] UNIQUE_LOCAL_OF_AWS = {(byte) 0xfd, 0x00, 0x0e, (byte) 0xc2};
  private static final byte[] NAT64 = {
    0x00, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0
  };
  private static final byte[] WIRE_SERVER_OF_AZURE = {(byte) 168, 63, (byte) 129, 16};
  private static final byte[] METADATA_OF_ALIBABA = {100, 100, 100, (byte) 200};

  /** The code for what is refused. */
  private static final String REFUSED = "catalog-refused";

  /**
   * Of a cluster: anywhere, where its own store is on the machine.
   *
   * @param clusterAddress as {@code ObjectStore.address()} says it
   * @param storeEndpoint of its S3-compatible server
   * @param plaintext whether the operator allows catalogs without TLS
   */
  public static Reach of(String clusterAddress, Optional<URI> storeEndpoint, boolean plaintext) {
    boolean local =
        !clusterAddress.startsWith("s3:") || storeEndpoint.map(Reach::local).orElse(false);
    return new Reach(local, local || plaintext);
  }

  private static boolean local(URI endpoint) {
    String host = endpoint.getHost();
    try {
      return host != null && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException _) {
      return false;
    }
  }

  /**
   * Checks an address in a secret.
   *
   * @param property that it is the value of
   * @throws WingsException {@code catalog-refused}; never with the address, which may hold a secret
   */
  public void checkCatalog(String property, String address) {
    URI uri;
    try {
      uri = URI.create(address);
    } catch (IllegalArgumentException _) {
      throw form(property);
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    boolean http = scheme.equals("http");
    if ((!http && !scheme.equals("https"))
        || uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw form(property);
    }
    if (http && !plaintext) {
      throw refused(
          "\""
              + property
              + "\" is http://, which shows tokens and tables to the network; use https://,"
              + " or have the operator allow it (--catalog-http)");
    }
    checkHost(property, uri.getHost());
  }

  /**
   * Checks where a name leads now. A client that looks it up again may be led elsewhere: what
   * connects by this resolver isn't.
   */
  public void checkHost(String property, String host) {
    InetAddress[] found;
    try {
      found = SystemDefaultDnsResolver.INSTANCE.resolve(host);
    } catch (UnknownHostException _) {
      return; // There is nothing to reach; who connects says so.
    }
    check("\"" + property + "\"", found);
  }

  private void check(String what, InetAddress[] found) {
    if (!anywhere && Arrays.stream(found).anyMatch(Reach::isReserved)) {
      throw refused(
          what
              + " is at an address of this machine, of its link, or of its cloud's metadata; a tenant's"
              + " catalog and storage are elsewhere, unless the cluster's own store is on this machine");
    }
  }

  private static boolean isReserved(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (begins(bytes, NAT64)) {
      return isReserved(embedded(bytes));
    }
    return address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isAnyLocalAddress()
        || address.isMulticastAddress()
        || (bytes[0] == 0 && bytes.length == 4)
        || begins(bytes, UNIQUE_LOCAL_OF_AWS)
        || Arrays.equals(bytes, WIRE_SERVER_OF_AZURE)
        || Arrays.equals(bytes, METADATA_OF_ALIBABA);
  }

  private static boolean begins(byte[] bytes, byte[] with) {
    return bytes.length == 16 && Arrays.equals(bytes, 0, with.length, with, 0, with.length);
  }

  private static InetAddress embedded(byte[] bytes) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    InetAddress[] found = SystemDefaultDnsResolver.INSTANCE.resolve(host);
    check("the host " + Printable.of(host), found);
    return found;
  }

  @Override
  public String resolveCanonicalHostname(String host) throws UnknownHostException {
    return SystemDefaultDnsResolver.INSTANCE.resolveCanonicalHostname(host);
  }

  private static WingsException form(String property) {
    return refused(
        "expected http(s)://host/path, without a user, a query and a fragment, in \""
            + property
            + "\"");
  }

  private static WingsException refused(String why) {
    return WingsException.invalid(REFUSED, why);
  }
}
