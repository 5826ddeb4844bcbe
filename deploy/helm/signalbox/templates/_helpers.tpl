{{- define "signalbox.name" -}}
{{- if contains "signalbox" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-signalbox" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "signalbox.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{/* Labels that never change, because a selector must not. The argument is a dict of root and service. */}}
{{- define "signalbox.selector" -}}
app.kubernetes.io/name: signalbox
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "signalbox.labels" -}}
{{ include "signalbox.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The security settings of the restricted Pod Security Standard. */}}
{{- define "signalbox.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "signalbox.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "signalbox.adminPort" -}}
{{- get (dict "proxy" "9080" "router" "9001" "keyauth" "9002" "dashboard" "9081") . -}}
{{- end }}

{{- define "signalbox.port" -}}
{{- get (dict "proxy" "8080" "router" "7001" "keyauth" "7002" "dashboard" "8081") . -}}
{{- end }}

{{/* Variables that every service has. */}}
{{- define "signalbox.env" -}}
- {name: SIGNALBOX_LISTEN, value: "0.0.0.0:{{ include "signalbox.port" .service }}"}
- {name: SIGNALBOX_ADMIN, value: "{{ if .root.Values.metrics.enabled }}0.0.0.0{{ else }}127.0.0.1{{ end }}:{{ include "signalbox.adminPort" .service }}"}
- {name: SIGNALBOX_CERTS, value: /certs}
{{- if ne .service "router" }}
- {name: SIGNALBOX_DATA, value: /data}
{{- end }}
{{- if has .service (list "proxy" "dashboard") }}
- {name: SIGNALBOX_ROUTER, value: "{{ include "signalbox.name" .root }}-router:7001"}
- {name: SIGNALBOX_KEYAUTH, value: "{{ include "signalbox.name" .root }}-keyauth:7002"}
{{- if eq .service "dashboard" }}
- {name: SIGNALBOX_PROXY, value: "http://{{ include "signalbox.name" .root }}-proxy:{{ include "signalbox.port" "proxy" }}"}
{{- end }}
- {name: SIGNALBOX_PUBLIC_URL, value: {{ required "publicUrl is required: the address that clients use" .root.Values.publicUrl | quote }}}
- {name: SIGNALBOX_TRUSTED_PROXIES, value: {{ .root.Values.trustedProxies | quote }}}
- name: SIGNALBOX_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ .root.Values.secrets.redis }}, key: url}}
{{- end }}
{{- if ne .service "proxy" }}
- name: SIGNALBOX_POSTGRES_URL
  valueFrom: {secretKeyRef: {name: {{ .root.Values.secrets.postgres }}, key: {{ .service }}-url}}
{{- end }}
{{- range $name, $value := (index .root.Values .service).env }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/*
Probes run the image's own command, because router and keyauth speak gRPC only. The dashboard
has 30 minutes to start: it migrates the ledger first, and a kill would undo the migration.
*/}}
{{- define "signalbox.probes" -}}
startupProbe:
  exec: {command: [signalbox, probe, "http://127.0.0.1:{{ include "signalbox.adminPort" .service }}/readyz"]}
  periodSeconds: 2
  failureThreshold: {{ if eq .service "dashboard" }}900{{ else }}90{{ end }}
  timeoutSeconds: 5
readinessProbe:
  exec: {command: [signalbox, probe, "http://127.0.0.1:{{ include "signalbox.adminPort" .service }}/readyz"]}
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  exec: {command: [signalbox, probe, "http://127.0.0.1:{{ include "signalbox.adminPort" .service }}/health"]}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "signalbox.certVolume" -}}
- name: certs
  secret:
    secretName: {{ get .root.Values.certificates.secrets .service }}
    defaultMode: 0440
    items:
      - {key: ca.crt, path: ca.pem}
      - {key: tls.crt, path: cert.pem}
      - {key: tls.key, path: key.pem}
{{- end }}

{{/* Where pods run: spread over nodes, as far as possible. */}}
{{- define "signalbox.scheduling" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "signalbox.selector" . | nindent 8 }}
{{- with (index .root.Values .service).nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (index .root.Values .service).tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "signalbox.podMetadata" -}}
labels: {{- include "signalbox.labels" . | nindent 2 }}
{{- with (index .root.Values .service).podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
