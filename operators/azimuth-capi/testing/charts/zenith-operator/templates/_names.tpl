{{- define "name" -}}
{{- contains "zenith-operator" .Release.Name | ternary .Release.Name (printf "%s-zenith-operator" .Release.Name) -}}
{{- end }}

{{- define "selector-labels" -}}
app.kubernetes.io/name: zenith-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "selector-labels" . }}
{{- end }}
