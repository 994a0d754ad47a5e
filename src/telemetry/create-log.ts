import { destination, type Logger, pino } from 'pino'
import { currentSpan } from '../core/context.ts'
import type { Telemetry } from './telemetry.ts'

/** Where lines of the log are written to. */
type Write = (line: string) => void

/**
 * The log of the process: lines of JSON on standard output, unless `write` says otherwise. Where telemetry takes them, it gets each line as well,
 * and lines of a traced request or run name its span.
 */
export function createLog(level: string, telemetry: Telemetry | undefined, write?: Write): Logger {
  const options = { level, base: null }
  const traced = telemetry?.spans === undefined ? options : { ...options, mixin: traceOf }
  const { log } = telemetry ?? {}
  if (log === undefined) return write === undefined ? pino(traced) : pino(traced, { write })
  const out = write === undefined ? destination(1) : { write }
  return pino(traced, {
    write(line: string) {
      out.write(line)
      log(line)
    },
  })
}

function traceOf(): object {
  const cause = currentSpan()
  return cause === undefined ? {} : { trace_id: cause.traceId, span_id: cause.spanId }
}
