package io.wings.catalog.io;

import java.util.function.Consumer;

/** Which locations a tenant may use; throws {@code location-refused} for any other. */
@FunctionalInterface
public interface LocationPolicy extends Consumer<String> {}
