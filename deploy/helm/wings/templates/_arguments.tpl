{{/* What the program is told; the tests compare all of it with the program's own command line. */}}

{{/* Where the cluster is and what its roles know one another by: variables, so that commands run in a pod have them too. */}}
{{- define "wings.environment" -}}
- name: WINGS_CLUSTER_TOKEN_FILE
  value: {{ printf "/etc/wings/cluster-token/%s" .root.Values.clusterToken.key | quote }}
{{- if has "tenants" .secrets }}
{{- with .root.Values.tenants.authority }}
{{- if .secretName }}
- name: WINGS_CATALOG_CA_FILE
  value: {{ printf "/etc/wings/catalog-ca/%s" .key | quote }}
{{- end }}
{{- end }}
{{- if .root.Values.tenants.http }}
- name: WINGS_CATALOG_HTTP
  value: "true"
{{- end }}
{{- end }}
{{- if has "store" .secrets }}
{{- with .root.Values.store }}
- name: WINGS_STORE
  value: {{ .address | quote }}
{{- with .endpoint }}
- name: WINGS_S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .region }}
- name: WINGS_S3_REGION
  value: {{ . | quote }}
{{- end }}
{{- if .pathStyle }}
- name: WINGS_S3_PATH_STYLE
  value: "true"
{{- end }}
{{- end }}
{{- include "wings.storeKeys" . }}
{{- end }}
{{- end }}

{{- define "wings.storeKeys" -}}
{{- $all := .root.Values.store.keys }}
{{- $secret := $all.secretName }}
{{- $key := get (include "wings.ownAccounts" . | fromJson) .role }}
{{- if $key }}
{{- $secret = get $all (printf "%sSecretName" $key) | default $secret }}
{{- end }}
{{- if $secret }}
{{- $keys := dict "AWS_ACCESS_KEY_ID" $all.accessKeyId "AWS_SECRET_ACCESS_KEY" $all.secretAccessKey }}
{{- if $all.sessionToken }}
{{- $keys = set $keys "AWS_SESSION_TOKEN" $all.sessionToken }}
{{- end }}
{{- range $variable, $key := $keys }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret | quote }}
      key: {{ $key | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Arguments of every role, one a line. TLS is asked for by arguments: a program that doesn't know them doesn't start,
where it would pass over variables. */}}
{{- define "wings.arguments.role" -}}
- --http=0.0.0.0:9090
{{- if .Values.tls.metrics.secretName }}
- --http-tls-cert=/etc/wings/metrics-tls/tls.crt
- --http-tls-key=/etc/wings/metrics-tls/tls.key
{{- end }}
{{- if .Values.metrics.tokens.secretName }}
- --metrics-tokens-file=/etc/wings/metrics-tokens/{{ .Values.metrics.tokens.key }}
{{- end }}
{{- if .Values.tls.cluster.secretName }}
- --cluster-cert=/etc/wings/cluster-tls/tls.crt
- --cluster-key=/etc/wings/cluster-tls/tls.key
- --cluster-ca=/etc/wings/cluster-tls/ca.crt
- --cluster-name={{ .Values.tls.cluster.name }}
{{- end }}
{{- end }}

{{/* How clients are known, and what they see. */}}
{{- define "wings.arguments.clients" -}}
{{- $jwt := .Values.auth.jwt }}
{{- if .Values.auth.open }}
- --open
{{- end }}
{{- if .Values.auth.tokens.secretName }}
- --tokens-file=/etc/wings/tokens/{{ .Values.auth.tokens.key }}
{{- end }}
{{- if $jwt.issuer }}
- --jwt-keys={{ $jwt.keysUrl | default (printf "file:///etc/wings/jwks/%s" $jwt.keysKey) }}
- --jwt-issuer={{ $jwt.issuer }}
{{- range $jwt.audiences }}
- --jwt-audience={{ . }}
{{- end }}
{{- end }}
{{- if not .Values.auth.grants }}
- --no-grants
{{- end }}
{{- if .Values.tls.clients.secretName }}
- --tls-cert=/etc/wings/tls/tls.crt
- --tls-key=/etc/wings/tls/tls.key
{{- if .Values.tls.clients.authoritySecretName }}
- --tls-client-ca=/etc/wings/client-authority/ca.crt
{{- end }}
{{- end }}
{{- end }}
