{{- define "name" -}}
{{- contains "zenith-apiserver" .Release.Name | ternary .Release.Name (printf "%s-zenith-apiserver" .Release.Name) -}}
{{- end }}
