package io.wings.simulation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.wings.simulation.Mutant.Edit;
import io.wings.simulation.Mutant.Teller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A test of any module, run beside the one that runs now: in a class loader that has all of Wings
 * anew, with some of its source edited.
 *
 * @param passed how many tests did
 */
record TestRun(int passed, List<Failure> failures) {
  /** Modules whose test classes tests of other modules use. */
  private static final List<String> LENDERS = List.of("wings-common", "wings-catalog");

  /** What a test, or a class of tests, failed with. */
  record Failure(String test, Throwable why) {
    /** Whether it is one of that class, by its simple name, or of one below it. */
    boolean isA(String className) {
      Class<?> is = why.getClass();
      while (is != null && !is.getSimpleName().equals(className)) {
        is = is.getSuperclass();
      }
      return is != null;
    }

    @Override
    public String toString() {
      String message = String.valueOf(why.getMessage()).lines().findFirst().orElse("");
      return "%s: %s: %.200s".formatted(test, why.getClass().getSimpleName(), message);
    }
  }

  /** What has a module's tests, and Wings with {@code edits}. */
  static MutantLoader loader(String module, List<Edit> edits) {
    return new MutantLoader(edits, testClasses(module));
  }

  static TestRun of(Teller.Failing test, MutantLoader loader) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    // Libraries find classes that they are told by name there.
    thread.setContextClassLoader(loader);
    try {
      Listener listener = new Listener();
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(selector(loader, test))
              .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
              .configurationParameter("junit.jupiter.execution.timeout.default", "60 s")
              .build();
      LauncherFactory.create(
              LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build())
          .execute(request, listener);
      return new TestRun(listener.passed, List.copyOf(listener.failures));
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static DiscoverySelector selector(ClassLoader loader, Teller.Failing test) {
    try {
      Class<?> selected = loader.loadClass(test.className());
      String method = test.method();
      if (method == null) {
        return selectClass(selected);
      }
      return Stream.of(selected.getDeclaredMethods())
          .filter(declared -> declared.getName().equals(method))
          .map(declared -> selectMethod(selected, declared))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException(test.className() + " has no " + method));
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(test.module() + " has no test " + test.className(), e);
    }
  }

  private static List<Path> testClasses(String module) {
    List<Path> directories =
        Stream.concat(Stream.of(module), LENDERS.stream())
            .distinct()
            .map(name -> MutantLoader.checkout().resolve(name).resolve("target/test-classes"))
            .toList();
    for (Path directory : directories) {
      if (!Files.isDirectory(directory)) {
        throw new IllegalStateException("no " + directory + ": build all modules first");
      }
    }
    return directories;
  }

  private static final class Listener implements TestExecutionListener {
    private final List<Failure> failures = new ArrayList<>();
    private int passed;

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> passed += identifier.isTest() ? 1 : 0;
        case FAILED ->
            failures.add(
                new Failure(
                    identifier.getLegacyReportingName(), result.getThrowable().orElseThrow()));
        case ABORTED -> {}
      }
    }
  }
}
