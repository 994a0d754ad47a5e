import type { Signal, TelemetryConfig } from '../config/telemetry.ts'
import { type Clock, type Millis, SECOND, within } from '../core/clock.ts'
import { MODULE_EXTENSION } from '../core/module-extension.ts'
import { createThread } from '../core/thread.ts'
import { collectList, createExportQueue } from './export-queue.ts'
import type { Asked, MetricFamily } from './exporting-thread.ts'
import { createSampler, type IsSampled } from './sampler.ts'
import type { Span } from './span.ts'
import { collectSpans } from './span-message.ts'

/** Where spans go. */
export interface Spans {
  isSampled: IsSampled
  /** Whether a caller's `traceparent` is the parent of its request. */
  trustsCallers: boolean
  /** For a span whose trace is sampled. */
  add(span: Span): void
}

/** The exports to a collector of OpenTelemetry. No work waits for them. */
export interface Telemetry {
  /** undefined: traces are not sent. */
  spans: Spans | undefined
  /** Takes a line of the log, as JSON; undefined: the log is not sent. */
  log: ((line: string) => void) | undefined
  /** undefined: metrics are not sent. */
  metrics: { every: Millis; send: (families: MetricFamily[]) => void } | undefined
  /** Names the only listeners: to what is lost, and to the beginning and the end of a time in which exports fail. */
  report(listeners: Listeners): void
  /** Sends waiting exports, for `PATIENCE` at most. */
  stop(): Promise<void>
}

interface Listeners {
  onDropped: (signal: Signal, count: number) => void
  onFailing: (signal: Signal, error: Error) => void
  onRecovered: (signal: Signal) => void
}

/** How long a stop waits for a collector. */
const PATIENCE: Millis = 5 * SECOND
const HEAP_MB = 96

/**
 * Creates the exports of a configuration. A separate thread loads the packages of OpenTelemetry and calls the collector; this thread
 * sends it the items, spans already in the form of the protocol.
 */
export function createTelemetry(config: TelemetryConfig, clock: Clock): Telemetry {
  const { targets, resource, sampler, metricInterval, trustsCallers } = config
  const thread = createThread<Asked, true>(
    new URL(`./exporting-thread${MODULE_EXTENSION}`, import.meta.url),
    {
      heapMb: HEAP_MB,
      workerData: { targets, resource },
    },
  )
  const failing = new Set<Signal>()
  let listeners: Listeners = { onDropped() {}, onFailing() {}, onRecovered() {} }

  async function send(asked: Asked): Promise<void> {
    const { signal } = asked
    try {
      await thread.ask(asked, signal === 'traces' ? [asked.items.buffer] : [])
    } catch (error) {
      if (!failing.has(signal)) listeners.onFailing(signal, error as Error)
      failing.add(signal)
      throw error
    }
    if (failing.delete(signal)) listeners.onRecovered(signal)
  }

  const onDropped = (signal: Signal) => (count: number) => listeners.onDropped(signal, count)
  const spans = createExportQueue<Span, Uint8Array<ArrayBuffer>>({
    ...{ clock, onDropped: onDropped('traces'), collecting: collectSpans() },
    send: (items) => send({ signal: 'traces', items }),
  })
  const lines = createExportQueue<string, string[]>({
    ...{ clock, onDropped: onDropped('logs'), collecting: collectList() },
    send: (items) => send({ signal: 'logs', items }),
  })
  // The newest wait for the export that is under way.
  let next: MetricFamily[] | undefined
  let pushing: Promise<void> | undefined
  async function pushAll(): Promise<void> {
    while (next !== undefined) {
      const items = next
      next = undefined
      await send({ signal: 'metrics', items }).catch(() => listeners.onDropped('metrics', items.length))
    }
  }
  function push(items: MetricFamily[]): void {
    if (next !== undefined) listeners.onDropped('metrics', next.length)
    next = items
    pushing ??= pushAll().finally(() => {
      pushing = undefined
    })
  }

  return {
    spans:
      targets.traces === undefined
        ? undefined
        : { isSampled: createSampler(sampler), trustsCallers, add: spans.add },
    log: targets.logs === undefined ? undefined : lines.add,
    metrics: targets.metrics === undefined ? undefined : { every: metricInterval, send: push },
    report(named) {
      listeners = named
    },
    async stop() {
      // A collector that does not answer holds up no stop.
      await within(PATIENCE, Promise.all([spans.flush(), lines.flush(), pushing])).catch(() => {})
      await thread.close()
    },
  }
}
