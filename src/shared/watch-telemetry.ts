import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { SIGNALS } from '../config/telemetry.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Metrics } from './metrics.ts'

/** Counts items that were not exported, and logs the beginning and the end of a time in which exports fail. */
export function watchTelemetry(
  { telemetry, config, log }: { telemetry: Telemetry | undefined; config: Config; log: Logger },
  { telemetryDropped }: Metrics,
): void {
  for (const signal of SIGNALS)
    if (config.telemetry?.targets[signal] !== undefined) telemetryDropped.inc({ signal }, 0)
  telemetry?.report({
    onDropped: (signal, count) => telemetryDropped.inc({ signal }, count),
    onFailing: (signal, error) => log.warn({ signal, err: error }, 'the collector does not take telemetry'),
    onRecovered: (signal) => log.info({ signal }, 'the collector takes telemetry again'),
  })
}
