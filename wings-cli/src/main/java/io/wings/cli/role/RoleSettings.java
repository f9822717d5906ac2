package io.wings.cli.role;

import io.wings.cli.Unreadable;
import io.wings.common.config.Suggestion;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
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
  private final SettingsFile file;
  private final Map<String, String> environment;

  private RoleSettings(String role, SettingsFile file, Map<String, String> environment) {
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
    SettingsFile file =
        named(arguments)
            .or(() -> Optional.ofNullable(environment.get(VARIABLE)).filter(v -> !v.isEmpty()))
            .map(path -> read(Path.of(path), line))
            .orElse(SettingsFile.NONE);
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

  /**
   * The settings of a file.
   *
   * @param path null where there is none
   */
  private record SettingsFile(@Nullable Path path, Map<String, String> values) {
    static final SettingsFile NONE = new SettingsFile(null, Map.of());

    /** Where a key's line is. */
    String place(String key) {
      Path read = Objects.requireNonNull(path);
      try {
        List<String> lines = Files.readAllLines(read);
        for (int i = 0; i < lines.size(); i++) {
          if (lines.get(i).strip().matches(Pattern.quote(key) + "\\s*[=: ].*")) {
            return read + ":" + (i + 1);
          }
        }
      } catch (IOException _) {
        // It was there a moment ago; the line's number is only a courtesy.
      }
      return read.toString();
    }
  }

  /**
   * A value in use that isn't of the command line.
   *
   * @param from what it is named there, and where that is
   */
  private record Found(String value, String from) {}

  private static SettingsFile read(Path path, CommandLine line) {
    Lines lines = new Lines();
    try (Reader reader = Files.newBufferedReader(path)) {
      lines.load(reader);
    } catch (IOException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "config-unreadable",
          path + " can't be read: " + Unreadable.reason(e),
          e);
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
    return new SettingsFile(path, lines.found);
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
    return found(option).map(Found::value).orElse(null);
  }

  private Optional<Found> found(OptionSpec option) {
    String key = key(option);
    String variable = variable(key);
    String told = environment.get(variable);
    if (told != null && !told.isEmpty()) {
      return Optional.of(new Found(told, variable + " of the environment"));
    }
    for (String name : List.of(role + "." + key, key)) {
      String value = file.values().get(name);
      if (value != null && !value.isEmpty()) {
        return Optional.of(new Found(value, name + " in " + file.place(name)));
      }
    }
    return Optional.empty();
  }

  /**
   * Where the value of an option comes from, for people: {@code --flush-interval}, {@code
   * WINGS_FLUSH_INTERVAL of the environment}, {@code flush-interval in wings.properties:3}.
   */
  public static String origin(CommandSpec role, String key) {
    String name = "--" + key;
    OptionSpec option = role.findOption(name);
    CommandLine.ParseResult typed =
        role.commandLine() == null ? null : role.commandLine().getParseResult();
    if (option == null || (typed != null && typed.hasMatchedOption(option))) {
      return name;
    }
    return role.defaultValueProvider() instanceof RoleSettings settings
        ? settings.found(option).map(Found::from).orElse(name)
        : name;
  }

  /**
   * Reads the value of an option.
   *
   * @throws WingsException what {@code reading} throws, with where the value comes from
   */
  static <T> T checked(CommandSpec role, String key, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (WingsException e) {
      throw new WingsException(e.kind(), e.code(), origin(role, key) + ": " + e.detail(), e);
    }
  }

  /** Where picocli's error about a value comes from; empty: from the command line. */
  public static Optional<String> origin(CommandLine.ParameterException error) {
    if (!(error.getArgSpec() instanceof OptionSpec option)
        || !(error.getCommandLine().getCommandSpec().defaultValueProvider()
            instanceof RoleSettings settings)) {
      return Optional.empty();
    }
    String message = String.valueOf(error.getMessage());
    return settings
        .found(option)
        .filter(found -> message.contains("'" + found.value() + "'"))
        .map(Found::from);
  }
}
