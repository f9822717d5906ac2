package io.wings.common.cas;

/** Whose object is at a number, known for certain. */
public sealed interface Append {
  /** The appended bytes are there. */
  record Won() implements Append {}

  /** Someone else's object is there; the appended bytes are not and never will be. */
  record Taken() implements Append {}
}
