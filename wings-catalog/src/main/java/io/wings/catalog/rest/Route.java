package io.wings.catalog.rest;

import io.wings.common.cluster.CatalogName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTUtil;

/** What is served. */
@SuppressWarnings("ImmutableEnumChecker") // Endpoints and lists of their parts never change.
enum Route {
  LIST_NAMESPACES(Endpoint.V1_LIST_NAMESPACES),
  CREATE_NAMESPACE(Endpoint.V1_CREATE_NAMESPACE),
  LOAD_NAMESPACE(Endpoint.V1_LOAD_NAMESPACE),
  NAMESPACE_EXISTS(Endpoint.V1_NAMESPACE_EXISTS),
  UPDATE_NAMESPACE(Endpoint.V1_UPDATE_NAMESPACE),
  DROP_NAMESPACE(Endpoint.V1_DELETE_NAMESPACE),
  LIST_TABLES(Endpoint.V1_LIST_TABLES),
  CREATE_TABLE(Endpoint.V1_CREATE_TABLE),
  LOAD_TABLE(Endpoint.V1_LOAD_TABLE),
  TABLE_EXISTS(Endpoint.V1_TABLE_EXISTS),
  UPDATE_TABLE(Endpoint.V1_UPDATE_TABLE),
  DROP_TABLE(Endpoint.V1_DELETE_TABLE),
  RENAME_TABLE(Endpoint.V1_RENAME_TABLE),
  REGISTER_TABLE(Endpoint.V1_REGISTER_TABLE),
  REPORT_METRICS(Endpoint.V1_REPORT_METRICS);

  private static final String PREFIX = "{prefix}";
  private static final String NAMESPACE = "{namespace}";
  private static final String TABLE = "{table}";
  private static final String SEPARATOR = "%1F";

  private final Endpoint endpoint;
  private final List<String> pattern;

  Route(Endpoint endpoint) {
    this.endpoint = endpoint;
    this.pattern = List.of(endpoint.path().split("/", -1));
  }

  /** As the answer to a question for the configuration lists it. */
  Endpoint endpoint() {
    return endpoint;
  }

  /** Whether it changes nothing. */
  boolean reads() {
    return switch (this) {
      case LIST_NAMESPACES,
          LOAD_NAMESPACE,
          NAMESPACE_EXISTS,
          LIST_TABLES,
          LOAD_TABLE,
          TABLE_EXISTS,
          REPORT_METRICS ->
          true;
      case CREATE_NAMESPACE,
          UPDATE_NAMESPACE,
          DROP_NAMESPACE,
          CREATE_TABLE,
          UPDATE_TABLE,
          DROP_TABLE,
          RENAME_TABLE,
          REGISTER_TABLE ->
          false;
    };
  }

  /**
   * A request's way.
   *
   * @param namespace empty where the route has none
   * @param table the last segment; empty where the route has none
   */
  record Match(Route route, CatalogName catalog, Namespace namespace, String table) {
    TableIdentifier identifier() {
      return TableIdentifier.of(namespace, table);
    }
  }

  /** Which methods a path takes: empty for one that isn't served. */
  static List<String> methods(String rawPath) {
    List<String> methods = new ArrayList<>();
    List<String> path = List.of(rawPath.split("/", -1));
    for (Route route : values()) {
      if (route.fits(path)) {
        methods.add(route.endpoint.httpMethod());
      }
    }
    return methods;
  }

  /**
   * Finds the route of a request.
   *
   * @param rawPath not yet decoded
   */
  static Optional<Match> match(String method, String rawPath) {
    List<String> path = List.of(rawPath.split("/", -1));
    for (Route route : values()) {
      if (route.endpoint.httpMethod().equals(method) && route.fits(path)) {
        return Optional.of(route.read(path));
      }
    }
    return Optional.empty();
  }

  private boolean fits(List<String> path) {
    if (path.size() != pattern.size()) {
      return false;
    }
    for (int i = 0; i < path.size(); i++) {
      String expected = pattern.get(i);
      boolean variable = expected.startsWith("{");
      if (variable ? path.get(i).isEmpty() : !expected.equals(path.get(i))) {
        return false;
      }
    }
    return true;
  }

  private Match read(List<String> path) {
    String namespace = segment(path, NAMESPACE);
    return new Match(
        this,
        new CatalogName(RESTUtil.decodePathSegment(segment(path, PREFIX))),
        namespace.isEmpty()
            ? Namespace.empty()
            : RESTUtil.decodeNamespaceAsPathSegment(namespace, SEPARATOR),
        RESTUtil.decodePathSegment(segment(path, TABLE)));
  }

  private String segment(List<String> path, String variable) {
    int at = pattern.indexOf(variable);
    return at < 0 ? "" : path.get(at);
  }
}
