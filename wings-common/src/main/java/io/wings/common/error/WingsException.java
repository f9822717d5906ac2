package io.wings.common.error;

import org.jspecify.annotations.Nullable;

/**
 * An error with a kind and a stable code. The message reads {@code code: what, where, expected,
 * got, what to do}, and never carries data or credentials of a tenant other than the caller's.
 */
public final class WingsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;
  private final String code;

  /**
   * @param code lower-case words joined by hyphens, e.g. {@code schema-mismatch}
   * @param detail what happened, without the code
   */
  public WingsException(ErrorKind kind, String code, String detail) {
    this(kind, code, detail, null);
  }

  public WingsException(ErrorKind kind, String code, String detail, @Nullable Throwable cause) {
    super(code + ": " + detail, cause);
    this.kind = kind;
    this.code = code;
  }

  public ErrorKind kind() {
    return kind;
  }

  /** The stable code, also the first word of the message. */
  public String code() {
    return code;
  }

  /** The message without the code. */
  public String detail() {
    return String.valueOf(getMessage()).substring(code.length() + 2);
  }

  public static WingsException invalid(String code, String detail) {
    return new WingsException(ErrorKind.INVALID, code, detail);
  }

  public static WingsException notFound(String code, String detail) {
    return new WingsException(ErrorKind.NOT_FOUND, code, detail);
  }

  public static WingsException unavailable(String code, String detail, @Nullable Throwable cause) {
    return new WingsException(ErrorKind.UNAVAILABLE, code, detail, cause);
  }

  public static WingsException corrupt(String code, String detail) {
    return new WingsException(ErrorKind.CORRUPT, code, detail);
  }
}
