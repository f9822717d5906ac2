/**
 * Wings as its users run it: whole processes over a local directory or an S3-compatible server, on
 * loopback, with faults from outside.
 */
package io.wings.process;
