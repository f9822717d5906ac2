package io.wings.worker.orphan;

/**
 * A file that may be an orphan.
 *
 * @param ledger the first that told of it. Others may too: it is enough that this one stays for as
 *     long as the file does
 */
record Told(String location, String ledger) {}
