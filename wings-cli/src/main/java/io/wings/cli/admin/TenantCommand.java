package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.catalog.Secrets;
import io.wings.catalog.Tenant;
import io.wings.catalog.Tenants;
import io.wings.catalog.secret.SecretPointer;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings tenant …}: which catalogs the cluster serves. */
@Command(
    name = "tenant",
    mixinStandardHelpOptions = true,
    description = "Registers catalogs by a pointer to their secret.",
    synopsisSubcommandLabel = "COMMAND")
public final class TenantCommand {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {
        "Registers a catalog.",
        "The secret is a JSON object of Iceberg catalog properties: type (wings, rest, jdbc),"
            + " warehouse, uri, credentials. Every role that opens the catalog reads it itself."
      })
  int add(
      @Mixin StoreArguments store,
      @Parameters(paramLabel = "NAME", description = "[a-z0-9][a-z0-9_-]{0,62}") String name,
      @Option(
              names = "--secret",
              required = true,
              paramLabel = "POINTER",
              description = {
                "file:///path, env://NAME (development),",
                "aws-secretsmanager://REGION/NAME-or-ARN,",
                "azure-keyvault://VAULT.vault.azure.net/NAME[/VERSION],",
                "gcp-secretmanager://PROJECT/NAME[/VERSION]."
              })
          String secret,
      @Option(
              names = "--replace",
              description =
                  "Point a registered catalog at another secret; roles notice within 5 minutes.")
          boolean replace,
      @Option(
              names = "--no-check",
              description = "Don't read the secret here: only the roles' machines have it.")
          boolean unchecked,
      @Option(names = "--json", description = "Print one JSON object.") boolean json) {
    CatalogName catalog = new CatalogName(name);
    SecretPointer pointer = SecretPointer.parse(secret);
    if (!unchecked) {
      check(pointer);
    }
    return with(
        store,
        true,
        (acts, tenants) -> {
          Tenant wanted = new Tenant(catalog, pointer);
          List<Tenant> all = tenants.list();
          if (all.contains(wanted)) {
            say(
                json,
                wanted,
                catalog + " is registered with this secret already; nothing was done");
            return 0;
          }
          all.stream()
              .filter(other -> other.secret().equals(pointer) && !other.name().equals(catalog))
              .forEach(
                  other ->
                      hint(
                          "catalog %s has this secret as well: the same tables under two names"
                              .formatted(other.name())));
          acts.note(
              replace ? "replace-tenant" : "add-tenant",
              List.of(name),
              Map.of("secret", pointer.toString()));
          if (replace) {
            tenants.replace(catalog, pointer);
          } else {
            tenants.add(catalog, pointer);
          }
          say(json, wanted, "registered " + catalog);
          return 0;
        });
  }

  private static void check(SecretPointer pointer) {
    try (Secrets secrets = new Secrets(System::getenv)) {
      secrets.check(pointer);
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.UNAVAILABLE) {
        throw e;
      }
      throw new WingsException(
          ErrorKind.INVALID,
          e.code(),
          e.detail() + "; say --no-check when it is the roles' machines alone that can read it",
          e);
    }
  }

  private void say(boolean json, Tenant tenant, String text) {
    spec.commandLine().getOut().println(json ? line(tenant) : text);
  }

  private static ObjectNode line(Tenant tenant) {
    return JSON.createObjectNode()
        .put("name", tenant.name().value())
        .put("secret", tenant.secret().toString());
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists catalogs and the pointers to their secrets.")
  int list(
      @Mixin StoreArguments store,
      @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    return with(
        store,
        false,
        (_, tenants) -> {
          for (Tenant tenant : tenants.list()) {
            out.println(json ? line(tenant) : tenant.name() + "  " + tenant.secret());
          }
          return 0;
        });
  }

  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = "Takes a catalog off the registry; its tables and its WAL stay.")
  int remove(
      @Mixin StoreArguments store,
      @Parameters(paramLabel = "NAME") String name,
      @Option(names = "--json", description = "Print one JSON object.") boolean json) {
    CatalogName catalog = new CatalogName(name);
    return with(
        store,
        false,
        (acts, tenants) -> {
          acts.note("remove-tenant", List.of(name), Map.of());
          if (!tenants.remove(catalog)) {
            throw WingsException.notFound("catalog-unknown", "no catalog " + catalog);
          }
          spec.commandLine()
              .getOut()
              .println(
                  json
                      ? JSON.createObjectNode()
                          .put("name", catalog.value())
                          .put("outcome", "removed")
                      : "removed " + catalog);
          return 0;
        });
  }

  private void hint(String text) {
    spec.commandLine().getErr().println("wings: " + text);
  }

  /**
   * Opens the registry.
   *
   * @param first whether it may be the first of a cluster that no role has started yet
   */
  private int with(
      StoreArguments arguments, boolean first, BiFunction<OperatorActs, Tenants, Integer> action) {
    Time time = Time.system();
    Ids ids = Ids.secure();
    try (ObjectStore store = arguments.open()) {
      if (first && ClusterFile.read(store, time, ids).isEmpty()) {
        ClusterFile made = ClusterFile.open(store, time, ids);
        hint("there was no cluster at %s; made %s".formatted(store.address(), made.clusterId()));
      }
      ClusterFile _ = ClusterFile.existing(store, time, ids);
      return action.apply(new OperatorActs(store, time, ids), new Tenants(store, time, ids));
    }
  }
}
