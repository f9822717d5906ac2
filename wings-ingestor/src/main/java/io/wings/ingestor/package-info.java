/** The ingestor role: its settings, its gRPC server, and how its parts are wired. */
@NullMarked
package io.wings.ingestor;

import org.jspecify.annotations.NullMarked;
