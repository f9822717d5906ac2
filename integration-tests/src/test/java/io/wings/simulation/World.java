package io.wings.simulation;

import io.wings.broker.loop.Broker;
import io.wings.simulation.grpc.Transport;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.NetworkWeather;
import io.wings.simulation.kernel.Scheduler;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import io.wings.simulation.kernel.StoreWeather;
import io.wings.simulation.kernel.Tally;
import io.wings.simulation.kernel.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one run is made of: the kernel's parts, the processes, and what is noted of them.
 */
final class World {
  static final String CLUSTER_ID = "0123456789abcdef0123456789abcdef";

  /** What a process does, from its start. */
  @FunctionalInterface
  interface Role {
    void start(SimulatedProcess process);
  }

  /** What a process does when it is asked to end. */
  @FunctionalInterface
  interface Drain {
    void run() throws InterruptedException;
  }

  private final Scenario scenario;
  private final Wiring wiring;
  private final Scheduler scheduler;
  private final Network network;
  private final Tally faults = new Tally();
  private final Tally guards = new Tally();
  private final Transport transport;
  private final SimulatedS3 cluster;
  private final SimulatedS3 warehouse;
  private final SimulatedS3 catalogObjects;
  private final Book book = new Book();
  private final WakeUps wakeUps = new WakeUps();
  private final BoundaryChecker boundaries = new BoundaryChecker(this);
  private final RelayChecker relays = new RelayChecker(this);
  private final VisibleChecker visible = new VisibleChecker(this);
  private final QueueChecker queueChecker = new QueueChecker(this);
  private final TaskChecker tasks = new TaskChecker(this);
  private final LogChecker log;
  private final TableChecker table;
  private final LiveFiles live;
  private final Leftovers leftovers = new Leftovers(this);
  private final Drowsiness drowsiness = new Drowsiness(this);
  private final ColumnChecker columns = new ColumnChecker(this);
  private final List<Foreign.Progress> foreign = new ArrayList<>();
  private final Map<String, Role> roles = new LinkedHashMap<>();
  private final Map<String, Broker> brokers = new HashMap<>();
  private final Map<String, IngestorCore> ingestors = new HashMap<>();
  private final Map<String, BalancerCore> balancers = new HashMap<>();
  private final Map<SimulatedProcess, Drain> drains = new HashMap<>();
  private final Set<SimulatedProcess> draining = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private @Nullable CatalogServer catalogServer;
  private boolean troubled;

  World(Scenario scenario, Wiring wiring, Trace trace) {
    this.scenario = scenario;
    this.wiring = wiring;
    this.scheduler = new Scheduler(scenario.seed(), trace);
    this.network = new Network(scheduler, faults);
    this.transport = new Transport(scheduler, network, relays);
    this.cluster = new SimulatedS3(scheduler, "cluster", faults);
    this.warehouse = new SimulatedS3(scheduler, "warehouse", faults);
    this.catalogObjects = new SimulatedS3(scheduler, "catalog", faults);
    this.log = new LogChecker(this);
    this.live = new LiveFiles(this);
    this.table = new TableChecker(this, live);
    cluster.observe(boundaries);
    cluster.observe(queueChecker);
    cluster.observe(tasks);
    cluster.observe(log);
    cluster.observe(drowsiness);
    catalogObjects.observe(table);
    cluster.lastingWeather(scenario.clusterWeather());
    warehouse.lastingWeather(scenario.warehouseWeather());
    warehouse.observe(live);
    warehouse.observe(leftovers);
    warehouse.observe(drowsiness);
  }

  Scenario scenario() {
    return scenario;
  }

  Wiring wiring() {
    return wiring;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Network network() {
    return network;
  }

  /** All gRPC. */
  Transport transport() {
    return transport;
  }

  Tally faults() {
    return faults;
  }

  Tally guards() {
    return guards;
  }

  SimulatedS3 cluster() {
    return cluster;
  }

  /** Data and metadata files. */
  SimulatedS3 warehouse() {
    return warehouse;
  }

  /** Names and pointers of the own catalog. */
  SimulatedS3 catalogObjects() {
    return catalogObjects;
  }

  Book book() {
    return book;
  }

  WakeUps wakeUps() {
    return wakeUps;
  }

  BoundaryChecker boundaries() {
    return boundaries;
  }

  RelayChecker relays() {
    return relays;
  }

  VisibleChecker visible() {
    return visible;
  }

  QueueChecker queueChecker() {
    return queueChecker;
  }

  TaskChecker tasks() {
    return tasks;
  }

  LogChecker log() {
    return log;
  }

  TableChecker table() {
    return table;
  }

  LiveFiles live() {
    return live;
  }

  Leftovers leftovers() {
    return leftovers;
  }

  Drowsiness drowsiness() {
    return drowsiness;
  }

  ColumnChecker columns() {
    return columns;
  }

  /** How far the other engines are. */
  List<Foreign.Progress> foreign() {
    return foreign;
  }

  /** The one that answers by now. */
  CatalogServer catalogServer() {
    return Objects.requireNonNull(catalogServer);
  }

  void catalogServer(CatalogServer server) {
    catalogServer = server;
  }

  /** Notes a violation and ends the run. */
  void violated(String what) {
    violations.add(what);
    scheduler.trace().line(scheduler.now(), "checker", "VIOLATION " + what);
    scheduler.stop();
  }

  List<String> violations() {
    return violations;
  }

  // --- weather ---------------------------------------------------------------------------------

  boolean troubled() {
    return troubled;
  }

  void trouble(boolean on) {
    troubled = on;
    cluster.weather(on ? scenario.clusterWeather() : StoreWeather.CALM);
    warehouse.weather(on ? scenario.warehouseWeather() : StoreWeather.CALM);
    catalogObjects.weather(on ? scenario.warehouseWeather() : StoreWeather.CALM);
    network.weather(on ? scenario.networkWeather() : NetworkWeather.CALM);
  }

  // --- processes -------------------------------------------------------------------------------

  /** Starts the first process of this name. */
  void launch(String name, Role role) {
    roles.put(name, role);
    start(name);
  }

  /** A process under {@code name} again; the one before it is dead, or still paused. */
  void start(String name) {
    Random random = scheduler.choices();
    double drift = scenario.meanKill().toDays() > 0 ? 0 : (random.nextDouble() - 0.5) * 0.04;
    Duration offset = Duration.ofMillis(random.nextInt(20_000) - 10_000L);
    SimulatedProcess process = new SimulatedProcess(scheduler, name, drift, offset);
    network.attach(process);
    Objects.requireNonNull(roles.get(name), name).start(process);
  }

  /** After a while starts another process of this name, unless one runs. */
  void replaceAfter(String name, Duration pause) {
    scheduler.after(pause, () -> replace(name));
  }

  /** Starts another process of this name, unless one runs. */
  void replace(String name) {
    if (process(name).dead()) {
      start(name);
    }
  }

  List<String> names() {
    return List.copyOf(roles.keySet());
  }

  List<String> names(String prefix) {
    return roles.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
  }

  SimulatedProcess process(String name) {
    return network.process(name).orElseThrow();
  }

  /** What {@code process} does on SIGTERM. */
  void onDrain(SimulatedProcess process, Drain drain) {
    drains.put(process, drain);
    process.onDeath(() -> drains.remove(process));
  }

  /** Whether it does anything but die on SIGTERM, and hasn't begun to. */
  boolean canDrain(SimulatedProcess process) {
    return drains.containsKey(process);
  }

  /** What {@code process} does on SIGTERM, once. */
  Drain drain(SimulatedProcess process) {
    draining.add(process);
    return Objects.requireNonNull(drains.remove(process));
  }

  /** Whether it was asked to end. */
  boolean isDraining(SimulatedProcess process) {
    return draining.contains(process);
  }

  void broker(String name, Broker broker) {
    brokers.put(name, broker);
  }

  Broker broker(String name) {
    Broker broker = brokers.get(name);
    if (broker == null) {
      throw new IllegalStateException("no broker " + name);
    }
    return broker;
  }

  void ingestor(String name, IngestorCore ingestor) {
    ingestors.put(name, ingestor);
  }

  void balancer(String name, BalancerCore balancer) {
    balancers.put(name, balancer);
  }

  List<BalancerCore> balancers() {
    return List.copyOf(balancers.values());
  }

  List<IngestorCore> ingestors() {
    return List.copyOf(ingestors.values());
  }
}
