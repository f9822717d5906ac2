package io.wings.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rules of the house that the compiler can't hold. */
@AnalyzeClasses(
    packages = "io.wings",
    importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {
  private static final String COMMON = "io.wings.common.";

  /** Leaves out what wings-common lends to others' tests. */
  static final class NoTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule servicesNeverImportEachOther =
      slices()
          .matching("io.wings.(broker|ingestor|loadbalancer|worker)..")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule commonIsALadder =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("rung 0")
          .definedBy(COMMON + "time..", COMMON + "id..", COMMON + "error..")
          .layer("rung 1")
          .definedBy(
              COMMON + "retry..",
              COMMON + "config..",
              COMMON + "lifecycle..",
              COMMON + "metrics..",
              COMMON + "concurrent..",
              COMMON + "tls..")
          .layer("rung 2")
          .definedBy(COMMON + "objectstore..")
          .layer("rung 3")
          .definedBy(COMMON + "cas..")
          .layer("rung 4")
          .definedBy(
              COMMON + "auth..",
              COMMON + "cluster..",
              COMMON + "flight..",
              COMMON + "grant..",
              COMMON + "queue..",
              COMMON + "wal..")
          .layer("services")
          .definedBy(
              "io.wings.catalog..",
              "io.wings.broker..",
              "io.wings.ingestor..",
              "io.wings.loadbalancer..",
              "io.wings.worker..",
              "io.wings.cli..")
          .whereLayer("services")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("rung 4")
          .mayOnlyBeAccessedByLayers("services")
          .whereLayer("rung 3")
          .mayOnlyBeAccessedByLayers("rung 4", "services")
          .whereLayer("rung 2")
          .mayOnlyBeAccessedByLayers("rung 3", "rung 4", "services")
          .whereLayer("rung 1")
          .mayOnlyBeAccessedByLayers("rung 2", "rung 3", "rung 4", "services");

  @ArchTest
  static final ArchRule noCycles =
      slices().matching("io.wings.(*).(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule clockRandomnessSleepAndEnvironmentComeThroughConstructors =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              COMMON + "time",
              COMMON + "id",
              COMMON + "concurrent",
              COMMON + "config",
              "io.wings.cli..")
          .should()
          .callMethodWhere(new AmbientCall());

  @ArchTest
  static final ArchRule awsStaysInItsPackages =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              COMMON + "objectstore.s3", "io.wings.catalog.io", "io.wings.catalog.secret.aws")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("software.amazon.awssdk..");

  /**
   * Trap 39: the cluster's own store and the stores of secrets alone use the process's identity.
   */
  @ArchTest
  static final ArchRule theProcesssCredentialsStayOutOfTenantsCatalogs =
      noClasses()
          .that()
          .resideOutsideOfPackages(COMMON + "objectstore.s3", "io.wings.catalog.secret.aws")
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "software\\.amazon\\.awssdk\\.auth\\.credentials\\."
                  + "(Default|Environment|SystemProperty|Profile|Container|InstanceProfile|WebIdentity)"
                  + ".*Provider");

  @ArchTest
  static final ArchRule onlySecretsAsksTheirStores =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.wings.catalog.secret..")
          .and()
          .doNotHaveFullyQualifiedName("io.wings.catalog.Secrets")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.wings.catalog.secret.aws",
              "io.wings.catalog.secret.azure",
              "io.wings.catalog.secret.gcp");

  @ArchTest
  static final ArchRule azureStaysInItsPackage =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.wings.catalog.secret.azure")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.azure..", "com.microsoft..", "reactor..");

  @ArchTest
  static final ArchRule googlesCloudStaysInItsPackage =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.wings.catalog.secret.gcp")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.google.cloud..", "com.google.auth..", "com.google.api..");

  @ArchTest
  static final ArchRule icebergStaysOutOfCommonAndOfTheServicesThatNeedNone =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.wings.common..",
              "io.wings.broker..",
              "io.wings.loadbalancer..",
              "io.wings.ingestor.lane..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.iceberg..");

  @ArchTest
  static final ArchRule namesSayWhatAThingIs =
      classes()
          .that()
          .resideInAPackage("io.wings..")
          .should()
          .haveSimpleNameNotEndingWith("Util")
          .andShould()
          .haveSimpleNameNotEndingWith("Utils")
          .andShould()
          .haveSimpleNameNotEndingWith("Helper")
          .andShould()
          .haveSimpleNameNotEndingWith("Manager")
          .andShould()
          .haveSimpleNameNotEndingWith("Impl");

  /**
   * A call that reads the machine's clock, randomness or environment, sleeps, or starts a thread.
   */
  private static final class AmbientCall extends DescribedPredicate<JavaCall<?>> {
    AmbientCall() {
      super("clock, sleep, randomness, threads or environment of the machine");
    }

    @Override
    public boolean test(JavaCall<?> call) {
      JavaClass owner = call.getTargetOwner();
      String method = owner.getName() + "." + call.getName();
      return switch (method) {
        case "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.getenv",
            "java.lang.Thread.sleep",
            "java.lang.Thread.ofVirtual",
            "java.lang.Thread.startVirtualThread",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor",
            "java.util.concurrent.ThreadLocalRandom.current" ->
            true;
        case "java.time.Instant.now" -> true;
        default -> false;
      };
    }
  }
}
