{{/* A HelmRelease with a Secret of its values: a map with context, name, namespace, values. */}}
{{- define "helm-release" }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "part" (list .context .name) }}-config
  labels:
    {{- include "component-labels" (list .context .name) | nindent 4 }}
    addons.stackhpc.com/watch: ""
stringData:
  overrides: {{ .values | default dict | toYaml | toJson }}
---
apiVersion: addons.stackhpc.com/v1alpha1
kind: HelmRelease
metadata:
  name: {{ include "part" (list .context .name) }}
  labels: {{ include "component-labels" (list .context .name) | nindent 4 }}
spec:
  clusterName: {{ .context.Release.Name }}
  bootstrap: true
  chart:
    repo: {{ .context.Values.addons.repository }}
    name: {{ .name }}
    version: 1.0.0
  targetNamespace: {{ .namespace }}
  releaseName: {{ .name }}
  valuesSources:
    - secret:
        name: {{ include "part" (list .context .name) }}-config
        key: overrides
{{- end }}
