package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.Wings;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code docs/settings.md} is made of what the program itself says. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "settings.md");
  private static final String BEGIN = "<!-- From here on written by SettingsPageTest. -->\n";

  /** An environment variable's name, which follows from the key, and the default, in brackets. */
  private static final Pattern ASIDE =
      Pattern.compile(" ?\\(((?:[^()]|\\([^()]*\\))*(?:default: |WINGS_)[^()]*)\\)");

  /** What an annotation without a default has. */
  private static final String NONE = "__no_default_value__";

  private static final Pattern DEFAULT = Pattern.compile("default: ([^;)]+)");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{env:(WINGS_[A-Z0-9_]+)(?::-(.*))?}");

  /**
   * A row.
   *
   * @param value what stands for the value
   * @param otherwise what holds where it isn't set
   */
  private record Row(String key, String value, String otherwise, String effect) {
    String line() {
      return "| `%s` | %s | %s | %s |%n".formatted(key, value, otherwise, effect);
    }
  }

  private static CommandSpec role(String role) {
    CommandLine line = Wings.commandLine();
    return Objects.requireNonNull(line.getSubcommands().get(role)).getCommandSpec();
  }

  private static OptionSpec option(CommandSpec spec, String key) {
    return Objects.requireNonNull(spec.findOption("--" + key));
  }

  private static Row row(OptionSpec option) {
    String text = text(option);
    boolean flag = option.arity().max() == 0;
    return new Row(
        RoleSettings.key(option),
        flag ? "`true`, `false`" : option.paramLabel(),
        flag ? "`false`" : otherwise(option, text),
        ASIDE.matcher(text).replaceAll("").replace("|", "\\|"));
  }

  private static String otherwise(OptionSpec option, String text) {
    String annotated = annotation(option).defaultValue();
    Matcher variable = VARIABLE.matcher(annotated);
    String plain = variable.matches() ? variable.group(2) : annotated;
    if (plain != null && !plain.equals(Option.NULL_VALUE) && !plain.contains(NONE)) {
      return "`" + plain + "`";
    }
    Matcher said = DEFAULT.matcher(text);
    return said.find() ? said.group(1) : "";
  }

  private static String text(OptionSpec option) {
    return String.join(" ", annotation(option).description());
  }

  /** As it is written; the specification has what the environment says now. */
  private static Option annotation(OptionSpec option) {
    return Objects.requireNonNull(((Field) option.userObject()).getAnnotation(Option.class));
  }

  private static String page() {
    Map<Row, List<String>> rows = new LinkedHashMap<>();
    for (String role : RoleSettings.ROLES) {
      CommandSpec spec = role(role);
      for (String key : RoleSettings.keys(spec)) {
        rows.computeIfAbsent(row(option(spec, key)), _ -> new ArrayList<>()).add(role);
      }
    }
    Map<Integer, Map<String, String>> sections = new TreeMap<>();
    rows.forEach(
        (row, roles) -> {
          boolean one = roles.size() == 1;
          int order = one ? RoleSettings.ROLES.indexOf(roles.getFirst()) : -roles.size();
          sections
              .computeIfAbsent(order, _ -> new TreeMap<>())
              .merge(title(roles), row.line(), String::concat);
        });
    StringBuilder page = new StringBuilder();
    for (Map<String, String> section : sections.values()) {
      section.forEach(
          (title, lines) ->
              page.append("\n## ")
                  .append(title)
                  .append("\n\n| setting | value | default | effect |\n|---|---|---|---|\n")
                  .append(lines));
    }
    return page.toString();
  }

  private static String title(List<String> roles) {
    return roles.size() == RoleSettings.ROLES.size() ? "Every role" : String.join(", ", roles);
  }

  @Test
  void thePageSaysWhatTheProgramSays() throws IOException {
    String written = Files.readString(PAGE);
    int begin = written.indexOf(BEGIN);
    assertTrue(begin >= 0, BEGIN);
    String expected = written.substring(0, begin + BEGIN.length()) + page();
    Path made = Files.writeString(Path.of("target", "settings.md"), expected);
    assertEquals(expected, written, "copy " + made + " to docs");
  }

  /**
   * Roles are told of the environment by {@link RoleSettings} alone. Other commands have nobody but
   * the annotations, which read each variable that they name; only the store's address is read by
   * hand.
   */
  @Test
  void theAnnotationsOfOptionsThatOnlyRolesHaveReadNoEnvironment() {
    Set<Option> others = new HashSet<>();
    options(Wings.commandLine(), others);
    for (String role : RoleSettings.ROLES) {
      CommandSpec spec = role(role);
      for (String key : RoleSettings.keys(spec)) {
        Option option = annotation(option(spec, key));
        boolean reads = option.defaultValue().startsWith("${env:" + RoleSettings.variable(key));
        boolean names = text(option(spec, key)).contains(RoleSettings.variable(key));
        boolean expected = others.contains(option) && names && !key.equals("store");
        assertEquals(expected, reads, role + " --" + key);
      }
    }
  }

  private static void options(CommandLine line, Set<Option> found) {
    line.getSubcommands()
        .forEach(
            (name, command) -> {
              if (!RoleSettings.ROLES.contains(name)) {
                for (OptionSpec option : command.getCommandSpec().options()) {
                  if (option.userObject() instanceof Field field
                      && field.isAnnotationPresent(Option.class)) {
                    found.add(field.getAnnotation(Option.class));
                  }
                }
                options(command, found);
              }
            });
  }

  /** Else the page, which names the rule, would be wrong. */
  @Test
  void environmentVariablesAreNamedAfterTheirSettings() {
    for (String role : RoleSettings.ROLES) {
      CommandSpec spec = role(role);
      for (String key : RoleSettings.keys(spec)) {
        OptionSpec option = option(spec, key);
        String text = annotation(option).defaultValue() + text(option);
        Matcher named = Pattern.compile("WINGS_[A-Z0-9_]+").matcher(text);
        while (named.find()) {
          assertEquals(RoleSettings.variable(key), named.group());
        }
      }
    }
  }
}
