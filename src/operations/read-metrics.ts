import { Registry } from '@prometheus-io/client'
import type { MetricList } from '../cluster/messages.ts'
import type { Siblings } from '../cluster/siblings.ts'
import type { Clock, Millis } from '../core/clock.ts'
import type { Metrics } from '../shared/metrics.ts'
import type { Measure } from './measure.ts'

interface Deps {
  clock: Clock
  metrics: Metrics
  measure: Measure
  siblings: Siblings | undefined
}

/** Reads the current metrics. */
export interface ReadMetrics {
  contentType: string
  /** The text of `/metrics`: of the store, and of this process or all workers on the port. */
  text(now: Millis): Promise<string>
  /** The metrics of the store and of this process, for a collector that every process reports to. */
  list(now: Millis): Promise<MetricList>
}

export function createReadMetrics({ clock, metrics, measure, siblings }: Deps): ReadMetrics {
  const { registry, stored, up, replaced } = metrics
  const here = Registry.merge([registry, stored])

  function readOwn(): Promise<MetricList> {
    measure.process()
    return registry.getMetricsAsJSON()
  }

  siblings?.giveMetrics(readOwn)

  async function readAll(now: Millis, { number, count, readOthers }: Siblings): Promise<string> {
    const [own, others] = await Promise.all([readOwn(), readOthers(clock), measure.stored(now)])
    for (let worker = 1; worker <= count; worker += 1)
      up?.set({ worker: String(worker) }, worker === number || others.given.has(worker) ? 1 : 0)
    replaced?.reset()
    for (const [cause, sum] of Object.entries(others.replaced ?? {})) replaced?.inc({ cause }, sum)
    const lists = [own, ...others.given.values(), await stored.getMetricsAsJSON()]
    // Each series has the number of its worker, so none are summed. `sum` keeps metrics that have no other aggregation.
    const all = lists.map((list) => list.map((metric) => ({ ...metric, aggregator: 'sum' })))
    return Registry.aggregate(all as Parameters<typeof Registry.aggregate>[0]).metrics()
  }

  async function measureHere(now: Millis): Promise<void> {
    measure.process()
    await measure.stored(now)
  }

  return {
    contentType: registry.contentType,
    async text(now) {
      if (siblings !== undefined) return readAll(now, siblings)
      await measureHere(now)
      return here.metrics()
    },
    async list(now) {
      await measureHere(now)
      return here.getMetricsAsJSON()
    },
  }
}
