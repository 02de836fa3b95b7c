{{- define "query-engine.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "query-engine.labels" -}}
app.kubernetes.io/part-of: query-engine
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What selects the pods of a component: (dict "root" $ "component" "gateway"). */}}
{{- define "query-engine.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "query-engine.secret" -}}
{{ .Values.secrets.existingSecret | default (include "query-engine.name" .) }}
{{- end }}

{{- define "query-engine.natsSecret" -}}
{{ .Values.secrets.existingNATSSecret | default (printf "%s-nats" (include "query-engine.name" .)) }}
{{- end }}

{{- define "query-engine.postgresqlSecret" -}}
{{ .Values.postgresql.existingSecret | default (printf "%s-postgresql" (include "query-engine.name" .)) }}
{{- end }}

{{/* A node of the embedded cluster: (dict "root" $ "node" 0). */}}
{{- define "query-engine.natsNode" -}}
{{- $name := printf "%s-nats" (include "query-engine.name" .root) -}}
{{ printf "%s-%d.%s-nodes" $name (int .node) $name }}
{{- end }}

{{/* The addresses of NATS with the user of a service, whose password the variable NATS_PASSWORD holds. */}}
{{- define "query-engine.natsURL" -}}
{{- $root := .root -}}
{{- $user := printf "%s:$(NATS_PASSWORD)@" .component -}}
{{- with $root.Values.nats.externalURL -}}
{{- $list := list -}}
{{- range splitList "," . }}{{ $list = append $list (regexReplaceAll "^([a-z]+://)" . (printf "${1}%s" (replace "$" "$$" $user))) }}{{ end -}}
{{ join "," $list }}
{{- else -}}
{{- $list := list -}}
{{- range until (int $root.Values.nats.replicas) }}{{ $list = append $list (printf "nats://%s%s:4222" $user (include "query-engine.natsNode" (dict "root" $root "node" .))) }}{{ end -}}
{{ join "," $list }}
{{- end -}}
{{- end }}

{{/* A variable from a key of a secret: (dict "name" ... "secret" ... "key" ...). */}}
{{- define "query-engine.fromSecret" -}}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }}}}
{{- end }}

{{- define "query-engine.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "query-engine.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "query-engine.topologySpread" -}}
{{- if .root.Values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.root.Values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels: {{- include "query-engine.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A rule of egress to the embedded NATS, or to the ports of another. */}}
{{- define "query-engine.egressToNATS" -}}
{{- if .Values.nats.externalURL }}
- ports:
  {{- range splitList "," .Values.nats.externalURL }}
  - {port: {{ regexFind "[0-9]+$" . | default "4222" }}}
  {{- end }}
{{- else }}
- to:
    - podSelector:
        matchLabels: {{- include "query-engine.selector" (dict "root" . "component" "nats") | nindent 10 }}
  ports: [{port: 4222}]
{{- end }}
{{- end }}
