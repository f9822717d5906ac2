package io.wings.cli.client;

import picocli.CommandLine.Command;

/** {@code wings table …}. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    description = "Creates, lists, describes and drops tables through the load balancer.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TableCreateCommand.class,
      TableListCommand.class,
      TableDescribeCommand.class,
      TableDropCommand.class
    })
public final class TableCommand {}
