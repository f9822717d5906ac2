/**
 * Wings as its clients see it: the stock Arrow Flight client and JSON, nothing of the roles' code.
 */
@NullMarked
package io.wings.cli.client;

import org.jspecify.annotations.NullMarked;
