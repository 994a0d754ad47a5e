import { type Clock, systemClock } from '../core/clock.ts'
import { createLoop, type Loop } from '../core/loop.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { ReadMetrics } from './read-metrics.ts'

interface PushDeps {
  clock: Clock
  log: { error(data: object, message: string): void }
  metrics: Pick<ReadMetrics, 'list'>
}

/** Sends the metrics of `/metrics` to a collector periodically, and once at the end. */
export function createMetricsPush(
  { every, send }: NonNullable<Telemetry['metrics']>,
  { clock, log, metrics }: PushDeps,
): Pick<Loop, 'start' | 'stop'> {
  async function push(): Promise<void> {
    send((await metrics.list(clock.now())) as Parameters<typeof send>[0])
  }
  // The interval follows the machine's clock, as the collector does, not the development clock.
  const loop = createLoop({
    clock: systemClock,
    every,
    first: every,
    run: push,
    log,
    name: 'metrics for the collector',
  })
  return {
    start: loop.start,
    async stop() {
      await loop.stop()
      await push().catch((error: unknown) => log.error({ err: error }, 'metrics for the collector'))
    },
  }
}
