package io.wings.common.error;

/** What the caller should do about an error. */
public enum ErrorKind {
  /** The request or its data is wrong; sending it again can't help. */
  INVALID,
  /** The table, catalog or object is not there, or the caller may not know that it is. */
  NOT_FOUND,
  /** This version of Wings doesn't do it; another may. */
  UNSUPPORTED,
  /** The caller is not who it must be. */
  UNAUTHENTICATED,
  /** The same request, with the same sequence, may succeed later. */
  UNAVAILABLE,
  /** A higher epoch took over; stop using this one. */
  FENCED,
  /** Stored data or state contradicts what must hold; a person has to look. */
  CORRUPT,
  /** A fault of Wings itself. */
  INTERNAL
}
