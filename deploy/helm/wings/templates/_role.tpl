{{/* What roles have in common beside their pods. */}}

{{- define "wings.metadata" -}}
metadata:
  name: {{ include "wings.roleName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "wings.labels" . | nindent 4 }}
{{- end }}

{{/* Beside root, role, values: surge (pods that may be missing while it is replaced: 0 or 1), and what wings.pod takes. */}}
{{- define "wings.deployment" -}}
apiVersion: apps/v1
kind: Deployment
{{ include "wings.metadata" . }}
spec:
  {{- if not (dig "autoscaling" "enabled" false .values) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # Until others have heard of a new pod, the old one stays.
  minReadySeconds: 10
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: {{ .missing | default 0 }}
  selector:
    matchLabels:
      {{- include "wings.selector" . | nindent 6 }}
  template:
    {{- include "wings.pod" . | nindent 4 }}
{{- end }}

{{- define "wings.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
{{ include "wings.metadata" . }}
spec:
  maxUnavailable: 1
  # A pod that isn't ready serves nobody, and holds up no node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "wings.selector" . | nindent 6 }}
{{- end }}

{{/* Beside root, role, values: metrics (lines of a list). */}}
{{- define "wings.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
{{ include "wings.metadata" . }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "wings.roleName" . }}
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  behavior:
    scaleDown:
      # Each pod that goes moves streams or gives tasks back: one a minute, once it has been quiet for five.
      stabilizationWindowSeconds: 300
      policies:
        - {type: Pods, value: 1, periodSeconds: 60}
  metrics:
    {{- .metrics | nindent 4 }}
{{- end }}

{{- define "wings.cpuMetric" -}}
- type: Resource
  resource:
    name: cpu
    target:
      type: Utilization
      averageUtilization: {{ .values.autoscaling.cpuPercent }}
{{- end }}
