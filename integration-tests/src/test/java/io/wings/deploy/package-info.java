/**
 * Wings as it is deployed. The Helm chart: rendered by Helm itself for every case in the resources
 * beside, and compared with the program, with Kubernetes' schemas, and with what the chart
 * promises. The image: its tree, assembled and run by its entry point with the chart's arguments.
 * Nothing here has run on a Kubernetes cluster, or as a container.
 */
package io.wings.deploy;
