package io.wings.loadbalancer.fleet;

import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Where ingestors are listed: {@code host:port}, or {@code dns:name:port} for every address. */
public sealed interface IngestorSource {
  /** One ingestor at a fixed name. */
  record Fixed(HostPort address) implements IngestorSource {}

  /** An ingestor at every address of a name, which is looked up again and again. */
  record Dns(HostPort name) implements IngestorSource {}

  /** Looks names up. */
  @FunctionalInterface
  interface Names {
    InetAddress[] addresses(String name) throws UnknownHostException;

    /** The JVM's resolver, with its cache. */
    static Names system() {
      return InetAddress::getAllByName;
    }
  }

  String DNS = "dns:";

  /**
   * Reads a setting.
   *
   * @throws WingsException {@code invalid-address} or {@code unreachable-address}
   */
  static IngestorSource parse(String text) {
    return text.startsWith(DNS)
        ? new Dns(HostPort.parse(text.substring(DNS.length())).requireDialable("an ingestor"))
        : new Fixed(HostPort.parse(text).requireDialable("an ingestor"));
  }

  /** The ingestors' addresses at this moment. */
  default Set<HostPort> resolve(Names names) throws UnknownHostException {
    return switch (this) {
      case Fixed(HostPort address) -> Set.of(address);
      case Dns(HostPort name) -> {
        Set<String> hosts = new TreeSet<>();
        Arrays.stream(names.addresses(name.host()))
            .map(InetAddress::getHostAddress)
            .forEach(hosts::add);
        yield Set.copyOf(hosts.stream().map(host -> new HostPort(host, name.port())).toList());
      }
    };
  }
}
