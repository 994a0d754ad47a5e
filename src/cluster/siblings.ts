import cluster from 'node:cluster'
import { readVariable } from '../config/config.ts'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import type { FromWorker, MetricList, Ready, Replaced, ToWorker } from './messages.ts'

/** The variable by which the first process gives a worker its number. */
export const NUMBER = 'POSTERN_WORKER'
/** The variable that only the first worker of a start has. */
export const BEGINS = 'POSTERN_WORKER_BEGINS'
/** A worker that is held by its work for longer is left out of the metrics, and its `postern_worker_up` is 0. */
const PATIENCE: Millis = 2 * SECOND

/**
 * On Linux each worker listens on a socket of its own, and the kernel divides connections among the sockets. The kernel resets connections
 * that a killed worker has not accepted. A shared socket of `node:cluster` never closes a connection whose worker dies before it accepts.
 */
const OWN_SOCKET = process.platform === 'linux' ? { exclusive: true, reusePort: true } : undefined

/** The other workers on the same port. */
export interface Siblings {
  /** Of this worker, from 1. */
  number: number
  count: number
  /** Whether it is the first worker of a start, which prints the way to the first administrator; a replacement is not. */
  begins: boolean
  /** How this worker listens on the port. */
  listening: { exclusive: boolean; reusePort: boolean } | undefined
  /** Says that this worker answers requests. */
  announce(ready: Ready): void
  /** Sets the metrics that this worker gives to a sibling that answers `/metrics`. */
  giveMetrics(read: () => Promise<MetricList>): void
  /** @returns the metrics of the other workers by their numbers, without workers that did not answer within two seconds */
  readOthers(clock: Clock): Promise<OthersMetrics>
}

/** The metrics of other workers. */
interface OthersMetrics {
  given: Map<number, MetricList>
  /** undefined: the first process did not answer. */
  replaced: Replaced | undefined
}

interface Asked {
  others: OthersMetrics
  onAnswer: () => void
}

/** @returns undefined where this process serves alone */
export function findSiblings(count: number): Siblings | undefined {
  if (!cluster.isWorker) return undefined
  const number = Number(readVariable(NUMBER))
  const asked = new Map<number, Asked>()
  let read: () => Promise<MetricList> = async () => []
  let last = 0

  function send(message: FromWorker): void {
    // A worker whose first process is gone ends by itself; nothing is lost with the message.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }

  function giveTo({ id, from }: { id: number; from: number }): void {
    void read().then(
      (metrics) => send({ kind: 'metrics.give', id, to: from, metrics }),
      // The metrics of the asking worker show that this one did not answer.
      () => {},
    )
  }

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'heartbeat') return send(message)
    if (message.kind === 'metrics.ask') return giveTo(message)
    const one = asked.get(message.id)
    if (one === undefined) return
    if (message.kind === 'metrics.replaced') {
      one.others.replaced = message.replaced
      return
    }
    if (message.metrics !== null) one.others.given.set(message.from, message.metrics)
    one.onAnswer()
  })
  // The channel would keep a worker alive that has ended its work.
  process.channel?.unref()

  return {
    number,
    count,
    listening: OWN_SOCKET,
    begins: readVariable(BEGINS) !== undefined,
    announce: (ready) => send({ kind: 'ready', ready }),
    giveMetrics(by) {
      read = by
    },
    async readOthers(clock) {
      last += 1
      const id = last
      const others: OthersMetrics = { given: new Map(), replaced: undefined }
      let left = count - 1
      await new Promise<void>((resolve) => {
        const cancel = clock.after(PATIENCE, resolve)
        const onAnswer = () => {
          left -= 1
          if (left > 0) return
          cancel()
          resolve()
        }
        asked.set(id, { others, onAnswer })
        send({ kind: 'metrics.ask', id })
      })
      asked.delete(id)
      return others
    },
  }
}
