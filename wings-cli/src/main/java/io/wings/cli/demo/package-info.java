/**
 * {@code wings demo}: the roles as child processes, load through the load balancer, and an
 * independent reader's verdict on what arrived.
 */
@NullMarked
package io.wings.cli.demo;

import org.jspecify.annotations.NullMarked;
