package io.wings.common.tls;

import java.nio.file.Path;
import java.util.Optional;

/**
 * PEM files.
 *
 * @param certificates the own certificate, then those between it and the authority
 * @param key the own certificate's, PKCS#8, not encrypted
 * @param authorities whose certificates others may show; empty: nobody is asked for one
 */
public record TlsFiles(Path certificates, Path key, Optional<Path> authorities) {}
