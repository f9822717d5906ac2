package io.wings.catalog.secret;

/** A server of a store's API, of our own: its secrets, and how it answers. */
public interface SecretServer<P extends SecretPointer> extends AutoCloseable {
  /** How it answers whoever asks for a secret. */
  enum Answer {
    RIGHTLY,
    DENIED,
    THROTTLED,
    FAILING,
    /** It doesn't accept the process's own credentials. */
    UNAUTHENTICATED
  }

  /** What all of its refusals quote: no store promises not to. */
  String QUOTED = "PLANTED-in-a-refusal";

  P pointer(String name);

  /** Makes this the secret's current version. */
  void put(String name, String content);

  void answer(Answer answer);

  /** A store that reaches it. */
  SecretStore<P> store();

  @Override
  void close();
}
