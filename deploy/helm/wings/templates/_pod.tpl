{{/* A role's pod. Beside root, role and values: arguments (lines of a list), port (of the role, or 0), mounts and volumes
(lines of lists, or empty), secrets (which of store, tenants, clients it gets). */}}
{{- define "wings.pod" -}}
{{- $root := .root }}
{{- $values := .values -}}
metadata:
  labels:
    {{- include "wings.labels" . | nindent 4 }}
    wings.io/metrics: "true"
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: wings
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "wings.serviceAccount" . }}
  automountServiceAccountToken: {{ and $root.Values.serviceAccount.automountToken (has "store" .secrets) }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "wings.stopSeconds" . }}
  {{- include "wings.podSecurity" $root | nindent 2 }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "wings.selector" $ | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  containers:
    {{- include "wings.container" . | nindent 4 }}
  volumes:
    {{- include "wings.volumes" . | nindent 4 }}
{{- end }}

{{- define "wings.container" -}}
{{- $root := .root }}
{{- $scheme := ternary "HTTPS" "HTTP" (ne $root.Values.tls.metrics.secretName "") }}
{{- $values := .values -}}
- name: wings
  image: {{ include "wings.image" $root | quote }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  args:
    - {{ .role }}
    {{- range (splitList "\n" .arguments) }}
    {{- if . }}
    - {{ trimPrefix "- " . | quote }}
    {{- end }}
    {{- end }}
  env:
    {{- if eq .role "broker" }}
    - name: POD_IP
      valueFrom:
        fieldRef:
          fieldPath: status.podIP
    {{- end }}
    - name: WINGS_HEAP
      value: {{ $values.heapMiB }}m
    # The JVM keeps names' addresses for 30 s unless told otherwise; pods come and go faster.
    - name: WINGS_JAVA_OPTS
      value: -XX:MaxDirectMemorySize={{ include "wings.directMiB" . }}m -Dsun.net.inetaddr.ttl=5
    {{- include "wings.environment" . | nindent 4 }}
  ports:
    {{- if .port }}
    - name: {{ .portName }}
      containerPort: {{ .port }}
    {{- end }}
    - name: http
      containerPort: 9090
  # Up to two minutes for a store that is slow to be probed; then it has to answer; ready means that it can acknowledge.
  startupProbe:
    httpGet: {path: /livez, port: http, scheme: {{ $scheme }}}
    periodSeconds: 2
    timeoutSeconds: 2
    failureThreshold: 60
  livenessProbe:
    httpGet: {path: /livez, port: http, scheme: {{ $scheme }}}
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 6
  readinessProbe:
    httpGet: {path: /readyz, port: http, scheme: {{ $scheme }}}
    periodSeconds: 5
    timeoutSeconds: 2
    failureThreshold: 2
  {{- if $values.preStopSeconds }}
  lifecycle:
    preStop:
      sleep:
        seconds: {{ $values.preStopSeconds }}
  {{- end }}
  resources:
    requests:
      cpu: {{ $values.cpu | quote }}
      memory: {{ include "wings.memoryMiB" . }}Mi
    limits:
      memory: {{ include "wings.memoryMiB" . }}Mi
  {{- include "wings.containerSecurity" $root | nindent 2 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- include "wings.mounts" . | nindent 4 }}
    {{- with .mounts }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end }}

{{- define "wings.podSecurity" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- range $key := list "runAsUser" "runAsGroup" "fsGroup" }}
  {{- with index $.Values.podSecurity $key }}
  {{ $key }}: {{ int64 . }}
  {{- end }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "wings.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The secrets that a role gets: volume, secret (or ConfigMap), and where. Whole directories, so that rotation is seen. */}}
{{- define "wings.secrets" -}}
{{- $all := .root.Values }}
{{- $found := list (dict "volume" "cluster-token" "secret" $all.clusterToken.secretName "path" "/etc/wings/cluster-token") }}
{{- with $all.tls.cluster.secretName }}
{{- $found = append $found (dict "volume" "cluster-tls" "secret" . "path" "/etc/wings/cluster-tls") }}
{{- end }}
{{- with $all.tls.metrics.secretName }}
{{- $found = append $found (dict "volume" "metrics-tls" "secret" . "path" "/etc/wings/metrics-tls") }}
{{- end }}
{{- with $all.metrics.tokens.secretName }}
{{- $found = append $found (dict "volume" "metrics-tokens" "secret" . "path" "/etc/wings/metrics-tokens") }}
{{- end }}
{{- if has "clients" .secrets }}
{{- with $all.auth.tokens.secretName }}
{{- $found = append $found (dict "volume" "tokens" "secret" . "path" "/etc/wings/tokens") }}
{{- end }}
{{- with $all.auth.jwt.keysConfigMap }}
{{- $found = append $found (dict "volume" "jwks" "configMap" . "path" "/etc/wings/jwks") }}
{{- end }}
{{- with $all.tls.clients.secretName }}
{{- $found = append $found (dict "volume" "tls" "secret" . "path" "/etc/wings/tls") }}
{{- end }}
{{- with $all.tls.clients.authoritySecretName }}
{{- $found = append $found (dict "volume" "client-authority" "secret" . "path" "/etc/wings/client-authority") }}
{{- end }}
{{- end }}
{{- if has "tenants" .secrets }}
{{- with $all.tenants.authority.secretName }}
{{- $found = append $found (dict "volume" "catalog-ca" "secret" . "path" "/etc/wings/catalog-ca") }}
{{- end }}
{{- range $index, $secret := $all.tenants.secrets }}
{{- $found = append $found (dict "volume" (printf "tenant-%d" $index) "secret" $secret "path" (printf "/etc/wings/tenants/%s" $secret)) }}
{{- end }}
{{- end }}
{{- $found | toJson }}
{{- end }}

{{- define "wings.mounts" -}}
{{- range include "wings.secrets" . | fromJsonArray }}
- name: {{ .volume }}
  mountPath: {{ .path }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "wings.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 512Mi
{{- range include "wings.secrets" . | fromJsonArray }}
- name: {{ .volume }}
  {{- if .configMap }}
  configMap:
    name: {{ .configMap }}
    defaultMode: 288 # 0440
  {{- else }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 288 # 0440
  {{- end }}
{{- end }}
{{- with .volumes }}
{{ . }}
{{- end }}
{{- end }}
