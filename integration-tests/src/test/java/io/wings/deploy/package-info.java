/**
 * The Helm chart: rendered by Helm itself for every case in the resources beside, and compared with
 * the program, with Kubernetes' schemas, and with what the chart promises. Nothing here has run on
 * a Kubernetes cluster.
 */
package io.wings.deploy;
