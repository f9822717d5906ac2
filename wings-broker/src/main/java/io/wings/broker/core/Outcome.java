package io.wings.broker.core;

/**
 * A reply and what it rests on.
 *
 * @param changed what has to be durable changed: the reply needs a write; else any proof will do
 */
public record Outcome(Reply reply, boolean changed) {}
