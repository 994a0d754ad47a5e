import { integer, list, oneOf, url } from './values.ts'

const endpoint = url('http:', 'https:')
const exporter = (text: string) => (text === '' ? undefined : oneOf('otlp', 'none')(text))

/** `name=value` pairs, percent-encoded (W3C Baggage). */
function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    list(text).map((item) => {
      const at = item.indexOf('=')
      const name = item.slice(0, at).trim()
      try {
        const value = decodeURIComponent(item.slice(at + 1).trim())
        if (at < 1 || name === '' || /\p{Cc}/u.test(name + value)) throw new Error('no pair')
        return [name, value]
      } catch {
        throw new Error('must list pairs such as name=value,other=value, percent-encoded')
      }
    }),
  )
}

function share(text: string): number {
  const value = Number(text)
  if (!/^[\d.]{1,20}$/.test(text) || !(value >= 0 && value <= 1))
    throw new Error('must be a number from 0 to 1')
  return value
}

const ofSignal = (signal: string) => ({
  default: '',
  about: `URL to which ${signal} are sent instead of \`OTEL_EXPORTER_OTLP_ENDPOINT\`; no path is appended.`,
  read: endpoint,
})
const headersOf = (signal: string) => ({
  default: '',
  about: `Headers of exports of ${signal}, added to those of \`OTEL_EXPORTER_OTLP_HEADERS\`.`,
  read: pairs,
})
const timeoutOf = (signal: string) => ({
  default: '',
  about: `Milliseconds that one export of ${signal} may take with its retries. Default: \`OTEL_EXPORTER_OTLP_TIMEOUT\`.`,
  read: (text: string) => (text === '' ? undefined : integer(1, 600_000)(text)),
})
const exporterOf = (signal: string) => ({
  default: '',
  about: `\`otlp\` sends ${signal}, without an endpoint to \`http://localhost:4318\`; \`none\` does not. Default: \`otlp\` if an endpoint is set.`,
  read: exporter,
})
const passedOn = (about: string) => ({
  default: '',
  about: `${about} The exporter of OpenTelemetry reads this variable.`,
  read: (text: string) => text,
})

/** The variables of OpenTelemetry that Postern reads (docs/telemetry.md). */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    about:
      'URL of a collector, such as `http://localhost:4318`, to which traces, metrics and logs are sent (docs/telemetry.md); the path of each signal is appended. Default: no telemetry, and its packages are not loaded.',
    read: endpoint,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofSignal('traces'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ofSignal('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: ofSignal('logs'),
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    about: 'Headers of each export, percent-encoded: `authorization=Bearer%20…,name=value`.',
    read: pairs,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headersOf('traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: headersOf('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: headersOf('logs'),
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    default: '10000',
    about:
      'Milliseconds that one export may take with its retries, 1 to 600000. After that its data is lost.',
    read: integer(1, 600_000),
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: timeoutOf('traces'),
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: timeoutOf('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: timeoutOf('logs'),
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    default: 'http/protobuf',
    about: 'Protocol of exports; `http/protobuf` is the only one.',
    read: oneOf('http/protobuf'),
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: passedOn('`gzip` compresses exports. Default: no compression.'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: passedOn(
    'File with the certificates of authorities that may sign the certificate of the collector.',
  ),
  OTEL_TRACES_EXPORTER: exporterOf('traces'),
  OTEL_METRICS_EXPORTER: exporterOf('metrics'),
  OTEL_LOGS_EXPORTER: exporterOf('logs'),
  OTEL_METRIC_EXPORT_INTERVAL: {
    default: '60000',
    about: 'Milliseconds between two exports of metrics, 100 to 86400000.',
    read: integer(100, 86_400_000),
  },
  OTEL_SERVICE_NAME: {
    default: '',
    about:
      'Name of this service in telemetry. Default: `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or `postern`.',
    read: (text: string) => (text === '' ? undefined : text.slice(0, 255)),
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: '',
    about:
      'Further attributes of this process in telemetry, percent-encoded: `deployment.environment.name=production,…`.',
    read: pairs,
  },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    about:
      'Rule for the traces that are sampled: `always_on`, `always_off` or `traceidratio`. With the prefix `parentbased_` a trace with a parent follows the decision of the parent.',
    read: oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    about: 'Ratio of traces that `traceidratio` samples, from 0 to 1.',
    read: share,
  },
  OTEL_SDK_DISABLED: {
    default: 'false',
    about: '`true` turns off telemetry, and its other variables are not read.',
    read: (text: string) => text.toLowerCase() === 'true',
  },
  TRACE_CONTEXT: {
    default: 'link',
    about:
      'Use of the `traceparent` of a request. `link`: its trace links to the trace of the caller. `parent`: it continues that trace with its sampling; only for servers that your own callers alone reach.',
    read: oneOf('link', 'parent'),
  },
} as const
