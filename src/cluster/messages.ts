/** What the first process and its workers tell each other: metrics asked for and given, heartbeats, and that a worker answers requests. */

/** How a server says that it is ready: in words, and as `--json` has it. */
export interface Ready {
  words: string
  json: object
}

/** Metrics as the registry gives them. */
export type MetricList = object[]

/** Workers that were replaced since the start, by cause: they ended, or stood still and were killed. */
export interface Replaced {
  ended: number
  stood_still: number
}

/** Sent by a worker. */
export type FromWorker =
  | { kind: 'ready'; ready: Ready }
  | { kind: 'heartbeat' }
  | { kind: 'metrics.ask'; id: number }
  | { kind: 'metrics.give'; id: number; to: number; metrics: MetricList }

/** Sent to a worker. `from` is the number of the worker that asks or gives; null: that one does not serve now. */
export type ToWorker =
  | { kind: 'heartbeat' }
  /** Comes before the metrics of the others. */
  | { kind: 'metrics.replaced'; id: number; replaced: Replaced }
  | { kind: 'metrics.ask'; id: number; from: number }
  | { kind: 'metrics.give'; id: number; from: number; metrics: MetricList | null }
