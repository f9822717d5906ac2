/**
 * The queue's protobuf service: turns messages into commands and answers into messages or statuses.
 * Decides nothing.
 */
@NullMarked
package io.wings.broker.grpc;

import org.jspecify.annotations.NullMarked;
