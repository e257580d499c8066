{{- define "crier.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "crier.labels" -}}
app.kubernetes.io/name: crier
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "crier.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "crier.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ include "crier.name" . }}{{ else }}default{{ end }}
{{- end }}

{{- define "crier.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "crier.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "crier.environment" -}}
- {name: CRIER_CONFIG, value: /etc/crier/crier.yaml}
- {name: CRIER_KEYSET, value: /etc/crier/keyset/keyset.json}
- {name: CRIER_SANDBOX_LISTEN, value: "0.0.0.0:8082"}
- {name: CRIER_SANDBOX_URL, value: "http://{{ include "crier.name" . }}-sandbox:8082"}
{{- end }}

{{- define "crier.mounts" -}}
- {name: config, mountPath: /etc/crier/crier.yaml, subPath: crier.yaml, readOnly: true}
- {name: keyset, mountPath: /etc/crier/keyset, readOnly: true}
{{- if .Values.caSecret }}
- {name: ca, mountPath: /etc/crier/ca, readOnly: true}
{{- end }}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "crier.volumes" -}}
- {name: config, secret: {secretName: {{ include "crier.name" .root }}-{{ .config }}, defaultMode: 0440}}
- {name: keyset, secret: {secretName: {{ .root.Values.keysetSecret }}, defaultMode: 0440}}
{{- if .root.Values.caSecret }}
- {name: ca, secret: {secretName: {{ .root.Values.caSecret }}, defaultMode: 0440}}
{{- end }}
- {name: data, emptyDir: {sizeLimit: {{ .root.Values.dataSize }}}}
- {name: tmp, emptyDir: {sizeLimit: 1Gi}}
{{- end }}
