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
  about: `Where ${signal} are sent, in place of \`OTEL_EXPORTER_OTLP_ENDPOINT\`; the path is not added.`,
  read: endpoint,
})
const headersOf = (signal: string) => ({
  default: '',
  about: `Headers for ${signal} beside \`OTEL_EXPORTER_OTLP_HEADERS\`.`,
  read: pairs,
})
const timeoutOf = (signal: string) => ({
  default: '',
  about: `The same for ${signal} alone.`,
  read: (text: string) => (text === '' ? undefined : integer(1, 600_000)(text)),
})
const exporterOf = (signal: string) => ({
  default: '',
  about: `\`otlp\` or \`none\`, for ${signal}. Default: \`otlp\` where an endpoint is set.`,
  read: exporter,
})
const passedOn = (about: string) => ({
  default: '',
  about: `${about} The exporter reads it.`,
  read: (text: string) => text,
})

/** The variables of OpenTelemetry that Postern reads (docs/telemetry.md). */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    about:
      'Turns on OpenTelemetry (docs/telemetry.md): a collector, such as `http://localhost:4318`; the path of each signal is added. Default: none, and nothing of it is loaded.',
    read: endpoint,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofSignal('traces'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ofSignal('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: ofSignal('logs'),
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    about: 'Headers of each export: `authorization=Bearer%20…,name=value`.',
    read: pairs,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headersOf('traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: headersOf('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: headersOf('logs'),
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    default: '10000',
    about: 'Milliseconds that an export may take, its retries included.',
    read: integer(1, 600_000),
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: timeoutOf('traces'),
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: timeoutOf('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: timeoutOf('logs'),
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    default: 'http/protobuf',
    about: 'The only protocol is `http/protobuf`.',
    read: oneOf('http/protobuf'),
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: passedOn('`gzip` compresses exports.'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: passedOn(
    'File of the certificates that a collector with https is checked by.',
  ),
  OTEL_TRACES_EXPORTER: exporterOf('traces'),
  OTEL_METRICS_EXPORTER: exporterOf('metrics'),
  OTEL_LOGS_EXPORTER: exporterOf('logs'),
  OTEL_METRIC_EXPORT_INTERVAL: {
    default: '60000',
    about: 'Milliseconds between two exports of the metrics.',
    read: integer(100, 86_400_000),
  },
  OTEL_SERVICE_NAME: {
    default: '',
    about: 'What the telemetry calls this service. Default: `service.name` of the next one, or `postern`.',
    read: (text: string) => (text === '' ? undefined : text.slice(0, 255)),
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: '',
    about: 'What else it says of this process: `deployment.environment.name=production,…`.',
    read: pairs,
  },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    about:
      '`always_on`, `always_off`, `traceidratio`, or each of them after `parentbased_`: which traces are kept.',
    read: oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    about: 'The part of all traces that `traceidratio` keeps, such as `0.1`.',
    read: share,
  },
  OTEL_SDK_DISABLED: {
    default: 'false',
    about: '`true` turns all of it off.',
    read: (text: string) => text.toLowerCase() === 'true',
  },
  TRACE_CONTEXT: {
    default: 'link',
    about:
      'What a `traceparent` of a request is: `link`, to which its trace points, or `parent`, whose trace it continues and whose sampling it follows; for servers that only callers of your own reach.',
    read: oneOf('link', 'parent'),
  },
} as const
