package io.wings.simulation;

import io.wings.simulation.Mutant.Change;
import io.wings.simulation.Mutant.Edit;
import io.wings.simulation.Mutant.Teller;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All mutants, as {@code mutants.diff} beside the tests' resources describes them. */
final class Mutants implements Iterable<String> {
  private static final String FILE = "mutants.diff";
  private static final List<String> KEYS =
      List.of("mutant", "traps", "guard", "shows", "play", "wiring", "test", "fails");

  private static final Map<String, Mutant> BY_NAME = read();

  private Mutants() {}

  static List<Mutant> all() {
    return List.copyOf(BY_NAME.values());
  }

  /** Those that the simulation tells from production. */
  static List<Mutant> played() {
    return all().stream().filter(mutant -> mutant.teller() instanceof Teller.Seed).toList();
  }

  /** Those that a test tells from production. */
  static List<Mutant> tested() {
    return all().stream().filter(mutant -> mutant.teller() instanceof Teller.Failing).toList();
  }

  static Mutant of(String name) {
    Mutant mutant = BY_NAME.get(name);
    if (mutant == null) {
      throw new IllegalArgumentException("no mutant " + name + ", one of " + BY_NAME.keySet());
    }
    return mutant;
  }

  @Override
  public Iterator<String> iterator() {
    return BY_NAME.keySet().iterator();
  }

  private static Map<String, Mutant> read() {
    try (InputStream in = Mutants.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + FILE);
      }
      Reader reader = new Reader();
      new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(reader::line);
      reader.end();
      return reader.found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads line by line. */
  private static final class Reader {
    private final Map<String, Mutant> found = new LinkedHashMap<>();
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<Edit> edits = new ArrayList<>();
    private final List<String> from = new ArrayList<>();
    private final List<String> to = new ArrayList<>();
    private @Nullable String file;
    private int number;

    void line(String line) {
      number++;
      if (line.isEmpty() || line.startsWith("#")) {
        return;
      }
      if (line.startsWith("--- ")) {
        endEdit();
        file = line.substring(4);
      } else if (line.equals("@@")) {
        endEdit();
      } else if (file != null && " +-".indexOf(line.charAt(0)) >= 0) {
        text(line);
      } else {
        value(line);
      }
    }

    private void text(String line) {
      if (line.charAt(0) != '+') {
        from.add(line.substring(1));
      }
      if (line.charAt(0) != '-') {
        to.add(line.substring(1));
      }
    }

    private void value(String line) {
      String[] parts = line.split(" +", 2);
      if (parts.length != 2 || !KEYS.contains(parts[0])) {
        throw new IllegalStateException(FILE + ":" + number + ": not understood: " + line);
      }
      if (parts[0].equals("mutant")) {
        end();
      }
      values.put(parts[0], parts[1]);
    }

    private void endEdit() {
      if (file != null && !from.isEmpty()) {
        edits.add(new Edit(file, String.join("\n", from), String.join("\n", to)));
      }
      from.clear();
      to.clear();
    }

    void end() {
      endEdit();
      if (values.isEmpty()) {
        return;
      }
      String wiring = values.get("wiring");
      Change change =
          wiring == null
              ? new Change.Rewritten(List.copyOf(edits))
              : new Change.Miswired(Miswiring.valueOf(wiring));
      String name = value("mutant", number);
      Mutant mutant =
          new Mutant(name, value("traps", number), value("guard", number), teller(), change);
      if (found.put(name, mutant) != null || (wiring == null) == edits.isEmpty()) {
        throw new IllegalStateException(
            FILE + ":" + number + ": " + name + " is there twice, or changes nothing");
      }
      values.clear();
      edits.clear();
      file = null;
    }

    private Teller teller() {
      String test = values.get("test");
      if (test == null) {
        String[] play = value("play", number).split(" ", 2);
        Workload workload = Workload.valueOf(play[0].toUpperCase(Locale.ROOT));
        return new Teller.Seed(workload, Long.parseLong(play[1]), value("shows", number));
      }
      String[] moduleAndName = test.split(" ", 2);
      String[] classAndMethod = moduleAndName[1].split("#", 2);
      return new Teller.Failing(
          moduleAndName[0],
          classAndMethod[0],
          classAndMethod.length == 1 ? null : classAndMethod[1],
          values.getOrDefault("fails", "AssertionError"));
    }

    private String value(String key, int line) {
      String value = values.get(key);
      if (value == null) {
        throw new IllegalStateException(FILE + ":" + line + ": no " + key + " in " + values);
      }
      return value;
    }
  }
}
