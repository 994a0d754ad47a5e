{{- define "postern.name" -}}
{{- if contains "postern" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-postern" (.Release.Name | trunc 42) -}}
{{- end -}}
{{- end -}}

{{- define "postern.secret" -}}
{{- .Values.existingSecret | default (include "postern.name" .) -}}
{{- end -}}

{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "postern.container" -}}
name: postern
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ include "postern.name" .root }} }
  - secretRef: { name: {{ include "postern.secret" .root }} }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "postern.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  # What is kept is in PostgreSQL, and in BLOBS_URL where there are files.
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "postern.deployment" -}}
{{- $values := index .root.Values .part -}}
{{- $scaled := and (eq .part "worker") .root.Values.worker.autoscaling.enabled -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "postern.name" .root }}-{{ .part }}
  labels:
    {{- include "postern.labels" . | nindent 4 }}
spec:
  {{- if not $scaled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  # Old and new processes work side by side; one ends when another is ready.
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "postern.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "postern.labels" . | nindent 8 }}
      annotations:
        # Other settings are taken by new processes.
        checksum/settings: {{ toJson .root.Values.settings | sha256sum }}
        checksum/secrets: {{ toJson .root.Values.secrets | sha256sum }}
        {{- with .root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      # An end takes two minutes at the longest, after DRAIN_SECONDS.
      terminationGracePeriodSeconds: {{ add 125 (int (default "0" .root.Values.settings.DRAIN_SECONDS)) }}
      {{- include "postern.pod" . | nindent 6 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "postern.selector" . | nindent 14 }}
      containers:
        - {{- include "postern.container" . | nindent 10 }}
          env:
            - name: ROLE
              value: {{ .part }}
            # The cluster counts processes by pods.
            - { name: WORKERS, value: "1" }
          ports:
            - { name: http, containerPort: 3000 }
          startupProbe:
            httpGet: { path: /livez, port: http }
            failureThreshold: 60
            periodSeconds: 2
          livenessProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
          resources:
            {{- toYaml $values.resources | nindent 12 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "postern.name" .root }}-{{ .part }}
  labels:
    {{- include "postern.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "postern.selector" . | nindent 6 }}
{{- end -}}
