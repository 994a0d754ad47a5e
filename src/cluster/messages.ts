/** The messages between the first process and its workers: metrics, heartbeats, and the readiness of a worker. */

/** The output of a ready server: for people, and for `--json`. */
export interface Ready {
  words: string
  json: object
}

/** Metrics in the form of the registry. */
export type MetricList = object[]

/** Workers that were replaced since the start, by cause: ended, or killed because they did not answer. */
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

/** Sent to a worker. `from` is the number of the sending worker; null: it does not serve now. */
export type ToWorker =
  | { kind: 'heartbeat' }
  /** Comes before the metrics of the others. */
  | { kind: 'metrics.replaced'; id: number; replaced: Replaced }
  | { kind: 'metrics.ask'; id: number; from: number }
  | { kind: 'metrics.give'; id: number; from: number; metrics: MetricList | null }
