{{/* Names, labels, memory. Templates that take a dictionary get: root (the chart's), role (as the command is called),
values (the role's). */}}

{{- define "wings.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "wings.fullname" -}}
{{- $name := include "wings.name" . }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- .Values.fullnameOverride | default $full | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "wings.roleName" -}}
{{- include "wings.fullname" .root }}-{{ .role }}
{{- end }}

{{/* Roles that run as somebody of their own, by the key below serviceAccount: load balancers read what is granted and
nothing else of the store, brokers have the queue. All others share one account. */}}
{{- define "wings.ownAccounts" -}}
{{- dict "load-balancer" "loadBalancer" "broker" "broker" | toJson }}
{{- end }}

{{/* Takes root and role; a role without an account of its own gets the shared one. */}}
{{- define "wings.serviceAccount" -}}
{{- $name := include "wings.fullname" .root }}
{{- $key := get (include "wings.ownAccounts" . | fromJson) .role }}
{{- if $key }}
{{- (index .root.Values.serviceAccount $key).name | default (printf "%s-%s" $name .role) }}
{{- else }}
{{- .root.Values.serviceAccount.name | default $name }}
{{- end }}
{{- end }}

{{/* Whether load balancers read what is granted. */}}
{{- define "wings.readsGrants" -}}
{{- if and .Values.auth.grants (not .Values.auth.open) }}yes{{ end }}
{{- end }}

{{/* What selects a role's pods; it may never change. */}}
{{- define "wings.selector" -}}
app.kubernetes.io/name: {{ include "wings.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "wings.labels" -}}
{{ include "wings.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: wings
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "wings.image" -}}
{{- if .Values.image.digest }}
{{- .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}
{{- .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/*
Memory of a pod, in MiB:

  limit    = heap + direct + engines + overhead
  heap     = what the role's values say (heapMiB, the JVM's -Xmx)
  direct   = Arrow's and the network's buffers, -XX:MaxDirectMemorySize: what the role's own limits let in, and 64
             load balancer: frames of all streams 256, kept ones 128
             ingestor: 2 batches at once, each with twice a body of 64 and its copies of 192; dictionaries 128;
                       arrived frames 256
             worker: 2 tasks at once, decoded batches of 256 each
  engines  = DuckDB, of a worker only: 2 tasks at once, memory_limit 192 each, and a quarter that it doesn't count
  overhead = classes, compiled code, threads: 256 and a tenth of the heap

The figures are the program's defaults; ChartMemoryTest compares them.
*/}}
{{- define "wings.directMiB" -}}
{{- $own := dict "load-balancer" (add 256 128) "ingestor" (add (mul 2 2 (add 64 192)) 128 256) "worker" (mul 2 256) }}
{{- add 64 (get $own .role | default 0) }}
{{- end }}

{{- define "wings.enginesMiB" -}}
{{- if eq .role "worker" }}{{ div (mul 2 192 5) 4 }}{{ else }}0{{ end }}
{{- end }}

{{- define "wings.formulaMiB" -}}
{{- $heap := int .values.heapMiB }}
{{- add $heap (include "wings.directMiB" .) (include "wings.enginesMiB" .) 256 (div $heap 10) }}
{{- end }}

{{- define "wings.memoryMiB" -}}
{{- int (.values.memoryLimitMiB | default (include "wings.formulaMiB" .)) }}
{{- end }}

{{/* Scratch space that a worker's data engines may use, in GiB: 2 tasks at once, 4 each. */}}
{{- define "wings.enginesDiskGiB" -}}
{{- mul 2 4 }}
{{- end }}

{{/*
Seconds from a pod being asked to stop to its being killed: the preStop hook, what the role takes at most, and 15 for a
store that is slow. Load balancer: streams go on for the grace, are answered in 10, connections end in 4. Ingestor: streams
move in 10, connections end in 6, a flush that runs and the last one in 10. Worker: tasks may go on for 20.
*/}}
{{- define "wings.stopSeconds" -}}
{{- $stop := dict "ingestor" 26 "broker" 5 "worker" 22 "catalog" 10 }}
{{- if eq .role "load-balancer" }}
{{- add 15 (int .values.preStopSeconds) (int .values.drainGraceSeconds) 14 }}
{{- else if eq .role "ingestor" }}
{{- add 15 (int .values.preStopSeconds) (get $stop .role) (div (add (int .values.flushIntervalMillis) 999) 1000) }}
{{- else }}
{{- add 15 (get $stop .role) }}
{{- end }}
{{- end }}

{{/* Whether `helm test` can do anything: where the cluster isn't open, it has to be known. */}}
{{- define "wings.testable" -}}
{{- if or .Values.auth.open .Values.tests.token.secretName }}yes{{ end }}
{{- end }}

{{- define "wings.server" -}}
{{ ternary "grpc+tls" "grpc" (ne .Values.tls.clients.secretName "") }}://{{ include "wings.fullname" . }}-load-balancer.{{ .Release.Namespace }}.svc:{{ .Values.loadBalancer.service.port }}
{{- end }}
