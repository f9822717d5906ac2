package io.wings.cli.role;

import io.wings.common.config.Suggestion;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Settings of a role that aren't on its command line: those of the environment, then those of a
 * file. {@code --flush-interval} is {@code WINGS_FLUSH_INTERVAL} and {@code flush-interval}. One
 * file serves all roles: {@code ingestor.flush-interval} is for ingestors only, and goes before
 * {@code flush-interval}.
 */
public final class RoleSettings implements IDefaultValueProvider {
  /** Commands that take them. */
  public static final List<String> ROLES =
      List.of("load-balancer", "ingestor", "broker", "worker", "catalog");

  private static final String OPTION = "--config";
  private static final String VARIABLE = "WINGS_CONFIG";

  private final String role;
  private final Map<String, String> file;
  private final Map<String, String> environment;

  private RoleSettings(String role, Map<String, String> file, Map<String, String> environment) {
    this.role = role;
    this.file = file;
    this.environment = environment;
  }

  /**
   * Gives the roles of {@code line} their settings.
   *
   * @param arguments of the program; they or the environment name the file
   * @throws WingsException {@code config-unreadable}, {@code config-invalid}, {@code
   *     setting-unknown}
   */
  public static void into(
      CommandLine line, List<String> arguments, Map<String, String> environment) {
    for (String role : ROLES) {
      spec(line, role)
          .addOption(
              OptionSpec.builder(OPTION)
                  .paramLabel("FILE")
                  .type(Path.class)
                  .description(
                      "Settings, as KEY=VALUE lines: this command's options without the dashes"
                          + " ("
                          + VARIABLE
                          + ").")
                  .build());
    }
    if (arguments.isEmpty() || !ROLES.contains(arguments.getFirst())) {
      return;
    }
    Map<String, String> file =
        named(arguments)
            .or(() -> Optional.ofNullable(environment.get(VARIABLE)).filter(v -> !v.isEmpty()))
            .map(path -> read(Path.of(path), line))
            .orElse(Map.of());
    for (String role : ROLES) {
      spec(line, role).defaultValueProvider(new RoleSettings(role, file, environment));
    }
  }

  private static CommandSpec spec(CommandLine line, String role) {
    CommandLine command = line.getSubcommands().get(role);
    if (command == null) {
      throw new IllegalStateException("no command " + role);
    }
    return command.getCommandSpec();
  }

  private static Optional<String> named(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals(OPTION) && i + 1 < arguments.size()) {
        return Optional.of(arguments.get(i + 1));
      }
      if (argument.startsWith(OPTION + "=")) {
        return Optional.of(argument.substring(OPTION.length() + 1));
      }
    }
    return Optional.empty();
  }

  /** Its keys, without the two dashes. */
  static Set<String> keys(CommandSpec role) {
    Set<String> keys = new TreeSet<>();
    for (OptionSpec option : role.options()) {
      if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
        keys.add(key(option));
      }
    }
    keys.remove(OPTION.substring(2));
    return keys;
  }

  static String key(OptionSpec option) {
    return option.longestName().substring(2);
  }

  static String variable(String key) {
    return "WINGS_" + key.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  private static Map<String, String> read(Path path, CommandLine line) {
    Lines lines = new Lines();
    try (Reader reader = Files.newBufferedReader(path)) {
      lines.load(reader);
    } catch (IOException e) {
      throw new WingsException(
          ErrorKind.INVALID, "config-unreadable", path + " can't be read: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new WingsException(
          ErrorKind.INVALID, "config-invalid", path + ": " + e.getMessage(), e);
    }
    Set<String> known = new TreeSet<>();
    for (String role : ROLES) {
      for (String key : keys(spec(line, role))) {
        known.add(key);
        known.add(role + "." + key);
      }
    }
    for (String key : lines.found.keySet()) {
      if (!known.contains(key)) {
        throw Suggestion.unknown("setting-unknown", "setting in " + path, key, known);
      }
    }
    return lines.found;
  }

  /** Refuses a key that is there twice, of which the last would win. */
  private static final class Lines extends Properties {
    private static final long serialVersionUID = 1L;
    private final transient Map<String, String> found = new TreeMap<>();

    @Override
    public synchronized @Nullable Object put(Object key, Object value) {
      if (found.put((String) key, (String) value) != null) {
        throw new IllegalArgumentException("'" + key + "' is there twice");
      }
      return null;
    }
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    String key = key(option);
    List<@Nullable String> values = new ArrayList<>();
    values.add(environment.get(variable(key)));
    values.add(file.get(role + "." + key));
    values.add(file.get(key));
    return values.stream()
        .filter(value -> value != null && !value.isEmpty())
        .findFirst()
        .orElse(null);
  }
}
