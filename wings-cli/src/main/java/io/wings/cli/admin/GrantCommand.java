package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.Tenants;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Grant;
import io.wings.common.grant.Grants;
import io.wings.common.grant.GrantsObject;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings grant …}. */
@Command(
    name = "grant",
    mixinStandardHelpOptions = true,
    description = "Says which principals and groups may do what with which tables.",
    synopsisSubcommandLabel = "COMMAND")
public final class GrantCommand {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Whom and what a grant is about. */
  static final class About {
    @Option(names = "--principal", paramLabel = "NAME", description = "One caller.")
    private @Nullable String principal;

    @Option(
        names = "--group",
        paramLabel = "NAME",
        description = "All whose tokens say that they are in it.")
    private @Nullable String group;

    @Option(
        names = "--all-catalogs",
        description = "On all catalogs, those that are registered later too.")
    private boolean everything;

    @Option(names = "--catalog", paramLabel = "NAME", description = "On all of a catalog.")
    private @Nullable String catalog;

    @Option(
        names = "--namespace",
        split = ",",
        paramLabel = "LEVEL",
        description =
            "On a namespace of --catalog and all below it; its levels, apart by commas or one by"
                + " one.")
    private @Nullable List<String> namespace;

    @Option(
        names = "--table",
        paramLabel = "CATALOG.NAMESPACE.TABLE",
        description = "On one table, as `wings table list` shows it.")
    private @Nullable String table;

    Subject subject() {
      if ((principal == null) == (group == null)) {
        throw WingsException.invalid("grant-invalid", "say either --principal or --group");
      }
      return principal != null
          ? new Subject.Principal(principal)
          : new Subject.Group(String.valueOf(group));
    }

    Scope scope() {
      int said = (everything ? 1 : 0) + (catalog != null ? 1 : 0) + (table != null ? 1 : 0);
      if (said != 1 || (namespace != null && catalog == null)) {
        throw WingsException.invalid(
            "grant-invalid",
            "say one of --all-catalogs, --catalog NAME [--namespace LEVEL…] and --table TABLE");
      }
      if (table != null) {
        TableName name = TableName.parse(table);
        return new Scope.Table(
            new io.wings.common.flight.TableName(
                new CatalogName(name.catalog()), name.namespace(), name.table()));
      }
      if (catalog == null) {
        return new Scope.Cluster();
      }
      CatalogName named = new CatalogName(catalog);
      return namespace == null ? new Scope.Catalog(named) : new Scope.Namespace(named, namespace);
    }
  }

  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = "Grants privileges; load balancers and catalogs notice within seconds.")
  int add(
      @Mixin StoreArguments store,
      @Mixin About about,
      @Parameters(
              arity = "1..*",
              paramLabel = "PRIVILEGE",
              description = "read, write, create, admin.")
          List<String> privileges,
      @Option(names = "--json", description = "Print one JSON object: what is granted on this now.")
          boolean json) {
    Subject subject = about.subject();
    Scope scope = about.scope();
    Set<Privilege> asked = of(privileges);
    try (ObjectStore opened = open(store)) {
      hintOfUnknown(opened, scope);
      note(opened, "add-grant", subject, scope, asked);
      Grants now = grants(opened).change(was -> was.with(subject, scope, asked));
      report(now, subject, scope, json);
      return 0;
    }
  }

  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = "Takes privileges back that were granted on just this.")
  int remove(
      @Mixin StoreArguments store,
      @Mixin About about,
      @Parameters(
              arity = "1..*",
              paramLabel = "PRIVILEGE",
              description = "read, write, create, admin.")
          List<String> privileges,
      @Option(names = "--json", description = "Print one JSON object: what is granted on this now.")
          boolean json) {
    Subject subject = about.subject();
    Scope scope = about.scope();
    Set<Privilege> asked = of(privileges);
    try (ObjectStore opened = open(store)) {
      Grants before = grants(opened).read();
      if (on(before, subject, scope).stream()
          .noneMatch(grant -> asked.stream().anyMatch(grant.privileges()::contains))) {
        throw WingsException.notFound(
            "grant-unknown",
            "%s %s was granted none of these on %s%s; see `wings grant list`"
                .formatted(
                    subject.kind(), subject.name(), scope.text(), wider(before, subject, scope)));
      }
      note(opened, "remove-grant", subject, scope, asked);
      Grants now = grants(opened).change(was -> was.without(subject, scope, asked));
      report(now, subject, scope, json);
      return 0;
    }
  }

  @Command(name = "list", mixinStandardHelpOptions = true, description = "Shows all grants.")
  int list(
      @Mixin StoreArguments store,
      @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
    try (ObjectStore opened = open(store)) {
      PrintWriter out = spec.commandLine().getOut();
      for (Grant grant : grants(opened).read().all()) {
        out.println(json ? line(grant) : text(grant));
      }
      return 0;
    }
  }

  private static ObjectStore open(StoreArguments arguments) {
    ObjectStore store = arguments.open();
    try {
      ClusterFile _ = ClusterFile.existing(store, Time.system(), Ids.secure());
      return store;
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** A catalog may be registered later; more often its name is mistyped. */
  private void hintOfUnknown(ObjectStore store, Scope scope) {
    if (scope.path().isEmpty()) {
      return;
    }
    CatalogName catalog = new CatalogName(scope.path().getFirst());
    if (!new Tenants(store, Time.system(), Ids.secure()).names().contains(catalog)) {
      spec.commandLine()
          .getErr()
          .println("wings: no catalog " + catalog + " is registered; see `wings tenant list`");
    }
  }

  private static void note(
      ObjectStore store, String act, Subject subject, Scope scope, Set<Privilege> privileges) {
    new OperatorActs(store, Time.system(), Ids.secure())
        .note(
            act,
            scope.path(),
            Map.of(
                "scope",
                scope.kind(),
                subject.kind(),
                subject.name(),
                "privileges",
                privileges.stream()
                    .map(Privilege::toString)
                    .sorted()
                    .collect(Collectors.joining(","))));
  }

  private void report(Grants now, Subject subject, Scope scope, boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    Optional<Grant> left = on(now, subject, scope);
    if (json) {
      out.println(line(subject, scope, left.map(Grant::sorted).orElse(Set.of())));
    } else {
      out.println(
          left.map(GrantCommand::text)
              .orElseGet(
                  () ->
                      "nothing is granted to %s %s on %s%s"
                          .formatted(
                              subject.kind(),
                              subject.name(),
                              scope.text(),
                              wider(now, subject, scope))));
    }
  }

  private static Optional<Grant> on(Grants grants, Subject subject, Scope scope) {
    return grants.all().stream()
        .filter(grant -> grant.subject().equals(subject) && grant.scope().equals(scope))
        .findFirst();
  }

  /** What somebody may do there all the same, by grants on more. */
  private static String wider(Grants grants, Subject subject, Scope scope) {
    return grants.all().stream()
        .filter(grant -> grant.subject().equals(subject) && !grant.scope().equals(scope))
        .filter(grant -> grant.scope().covers(scope))
        .map(grant -> ", but " + text(grant) + ", which holds there too")
        .collect(Collectors.joining());
  }

  private static GrantsObject grants(ObjectStore store) {
    return new GrantsObject(store, Time.system(), Ids.secure());
  }

  private static Set<Privilege> of(List<String> privileges) {
    return privileges.stream()
        .map(text -> Privilege.of(text.toLowerCase(Locale.ROOT)))
        .collect(Collectors.toSet());
  }

  private static String text(Grant grant) {
    return "%s %s: %s on %s"
        .formatted(
            grant.subject().kind(),
            grant.subject().name(),
            grant.sorted().stream().map(Privilege::toString).collect(Collectors.joining(", ")),
            grant.scope().text());
  }

  private static ObjectNode line(Grant grant) {
    return line(grant.subject(), grant.scope(), grant.sorted());
  }

  private static ObjectNode line(Subject subject, Scope scope, Set<Privilege> privileges) {
    ObjectNode line =
        JSON.createObjectNode()
            .put("subject", subject.kind())
            .put("name", subject.name())
            .put("scope", scope.kind());
    scope.path().forEach(line.putArray("path")::add);
    ArrayNode given = line.putArray("privileges");
    privileges.forEach(privilege -> given.add(privilege.toString()));
    return line;
  }
}
