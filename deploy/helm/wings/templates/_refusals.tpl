{{/* Shapes that are refused and that a schema of single values can't tell. */}}
{{- define "wings.refuse" -}}
{{- $auth := .Values.auth }}
{{- $jwt := $auth.jwt }}
{{- $known := or $auth.tokens.secretName $jwt.issuer }}
{{- if not (or $auth.open $known) }}
{{- fail "auth: say who may connect: auth.tokens.secretName or auth.jwt.issuer, or auth.open: true to let everybody in who reaches the port" }}
{{- end }}
{{- if and $auth.open $known }}
{{- fail "auth.open: true lets everybody in, and auth.tokens or auth.jwt says who: take one of them out" }}
{{- end }}
{{- if or $jwt.issuer $jwt.audiences $jwt.keysUrl $jwt.keysConfigMap }}
{{- if not $jwt.issuer }}
{{- fail "auth.jwt.issuer: is missing: tokens are believed of one issuer" }}
{{- end }}
{{- if not $jwt.audiences }}
{{- fail "auth.jwt.audiences: is missing: tokens are believed for one audience at least, such as [wings]" }}
{{- end }}
{{- if not (or $jwt.keysUrl $jwt.keysConfigMap) }}
{{- fail "auth.jwt.keysUrl or auth.jwt.keysConfigMap: is missing: where the issuer's public keys are" }}
{{- end }}
{{- if and $jwt.keysUrl $jwt.keysConfigMap }}
{{- fail "auth.jwt: both keysUrl and keysConfigMap say where the issuer's public keys are: take one of them out" }}
{{- end }}
{{- end }}
{{- if and (ne .Values.loadBalancer.service.type "ClusterIP") (not .Values.tls.clients.secretName) }}
{{- fail (printf "loadBalancer.service.type: %s is reached from outside the cluster, where tokens and rows need TLS: say tls.clients.secretName" .Values.loadBalancer.service.type) }}
{{- end }}
{{- with .Values.tls.clients.authoritySecretName }}
{{- if not $.Values.tls.clients.secretName }}
{{- fail "tls.clients.authoritySecretName: needs tls.clients.secretName: certificates are shown in TLS" }}
{{- end }}
{{- if has . (list $.Values.tls.clients.secretName $.Values.tls.cluster.secretName $.Values.tls.metrics.secretName) }}
{{- fail (printf "tls.clients.authoritySecretName: %s holds a certificate of pods: each of its authority's, theirs too, would be a client's; say a secret with the ca.crt of clients alone" .) }}
{{- end }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.metrics.tokens.secretName (not .Values.serviceMonitor.token.secretName) }}
{{- fail "serviceMonitor.token.secretName: metrics.tokens lets nobody read /metrics without a token: say which one Prometheus shows" }}
{{- end }}
{{- if and .Values.serviceMonitor.token.secretName (not .Values.metrics.tokens.secretName) }}
{{- fail "serviceMonitor.token: nobody would check it: say metrics.tokens.secretName" }}
{{- end }}
{{- if and .Values.tests.authority.secretName (not .Values.tests.token.secretName) }}
{{- fail "tests.authority: there is no test without tests.token.secretName" }}
{{- end }}
{{- if and .Values.loadBalancer.service.loadBalancerSourceRanges (ne .Values.loadBalancer.service.type "LoadBalancer") }}
{{- fail "loadBalancer.service.loadBalancerSourceRanges: restrict a Service of type LoadBalancer alone; networkPolicy.clients.from restricts any" }}
{{- end }}
{{- if and .Values.worker.autoscaling.backlog.metric (not .Values.worker.autoscaling.enabled) }}
{{- fail "worker.autoscaling.backlog.metric: nobody looks at it without worker.autoscaling.enabled: true" }}
{{- end }}
{{- include "wings.refuseSecrets" . }}
{{- $accounts := .Values.serviceAccount }}
{{- if and (not $accounts.create) (not (and $accounts.name $accounts.loadBalancer.name $accounts.broker.name)) }}
{{- fail "serviceAccount.name: it, serviceAccount.loadBalancer.name and serviceAccount.broker.name are needed with serviceAccount.create: false" }}
{{- end }}
{{- include "wings.refuseRoles" . }}
{{- end }}

{{/* What a tenant's catalog is opened with is read by its tenant's name: no secret of the cluster is among these. */}}
{{- define "wings.refuseSecrets" -}}
{{- $own := list .Values.clusterToken.secretName .Values.store.keys.secretName .Values.auth.tokens.secretName .Values.tls.cluster.secretName .Values.tls.clients.secretName .Values.tls.metrics.secretName }}
{{- range .Values.tenants.secrets }}
{{- if has . $own }}
{{- fail (printf "tenants.secrets: %s is a secret of the cluster's own: a pointer file:///etc/wings/tenants/%s/KEY would lead a tenant there" . .) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "wings.refuseRoles" -}}
{{- $commands := dict "loadBalancer" "load-balancer" "ingestor" "ingestor" "broker" "broker" "worker" "worker" "catalog" "catalog" }}
{{- range $key, $role := $commands }}
{{- $values := index $.Values $key }}
{{- $fewest := int $values.replicas }}
{{- $setting := "replicas" }}
{{- with $values.autoscaling }}
{{- if .enabled }}
{{- $fewest = int .minReplicas }}
{{- $setting = "autoscaling.minReplicas" }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
{{- fail (printf "%s.autoscaling.maxReplicas: is less than minReplicas" $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (lt $fewest 2) (not $.Values.allowSingle) (has $key (list "loadBalancer" "ingestor" "broker")) }}
{{- fail (printf "%s.%s: %d pod can't be replaced without interrupting clients: at least 2, or allowSingle: true" $key $setting $fewest) }}
{{- end }}
{{- $formula := int (include "wings.formulaMiB" (dict "root" $ "role" $role "values" $values)) }}
{{- if and $values.memoryLimitMiB (lt (int $values.memoryLimitMiB) $formula) }}
{{- fail (printf "%s.memoryLimitMiB: %d is less than the %d that a heap of %d needs (docs/operations.md)" $key (int $values.memoryLimitMiB) $formula (int $values.heapMiB)) }}
{{- end }}
{{- end }}
{{- $disk := int (include "wings.enginesDiskGiB" .) }}
{{- if lt (int .Values.worker.scratchGiB) $disk }}
{{- fail (printf "worker.scratchGiB: %d is less than the %d that the data engines may use" (int .Values.worker.scratchGiB) $disk) }}
{{- end }}
{{- end }}
