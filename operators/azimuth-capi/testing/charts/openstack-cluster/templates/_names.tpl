{{- define "part" -}}
{{- printf "%s-%s" (index . 0).Release.Name (index . 1) | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "common-labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
capi.stackhpc.com/managed-by: {{ .Release.Service }}
capi.stackhpc.com/infrastructure-provider: openstack
capi.stackhpc.com/cluster: {{ .Release.Name }}
{{- end }}

{{/* Labels that select, and that templates pass on to Machines: (context, component). */}}
{{- define "selector-labels" -}}
capi.stackhpc.com/cluster: {{ (index . 0).Release.Name }}
capi.stackhpc.com/component: {{ index . 1 }}
{{- end }}

{{- define "component-labels" -}}
{{ include "common-labels" (index . 0) }}
capi.stackhpc.com/component: {{ index . 1 }}
{{- end }}

{{- define "credentials" -}}
{{ .Values.cloudCredentialsSecretName | required ".Values.cloudCredentialsSecretName is required" }}
{{- end }}

{{- define "version" -}}
v{{ .Values.kubernetesVersion | required ".Values.kubernetesVersion is required" | trimPrefix "v" }}
{{- end }}

{{/* The spec of an OpenStackMachineTemplate: (context, flavor). */}}
{{- define "machine-spec" -}}
template:
  spec:
    identityRef: { name: {{ include "credentials" (index . 0) }}, cloudName: openstack }
    flavor: {{ index . 1 | required "a machineFlavor is required" }}
    image: { id: {{ (index . 0).Values.machineImageId | required ".Values.machineImageId is required" }} }
{{- end }}

{{/* Templates of machines are immutable, so each spec has a name of its own: (name, spec). */}}
{{- define "checksum-name" -}}
{{ index . 0 }}-{{ index . 1 | sha256sum | trunc 8 }}
{{- end }}
