import cluster, { type Worker } from 'node:cluster'
import { isSea } from 'node:sea'
import type { Logger } from 'pino'
import { waitAfter } from '../core/backoff.ts'
import { MINUTE, type Millis, pause, SECOND, stopwatch } from '../core/clock.ts'
import { createHeartbeats } from '../core/heartbeats.ts'
import { killWorkers } from './kill-workers.ts'
import type { FromWorker, Ready, Replaced, ToWorker } from './messages.ts'
import { BEGINS, NUMBER } from './siblings.ts'

/** How long after its end a worker is replaced, by how often it has ended within a minute of its start. */
const WAITS: readonly Millis[] = [0, SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND]
const STABLE: Millis = MINUTE
/** After this many failed starts without an answering worker the server ends, so that its supervisor knows. */
const MOST_FAILURES = WAITS.length

interface Options {
  count: number
  /** Variables of the workers in addition to those of this process. */
  env: Record<string, string>
  log: Pick<Logger, 'error' | 'info'>
  /** Called once, when the first worker answers requests. */
  onReady: (ready: Ready) => void
  /** Resolves when all workers must end. */
  stopping: Promise<void>
  /** How long a worker may take to end; then it is killed. */
  patience: Millis
  /** How often workers are asked for a heartbeat. */
  beat: Millis
}

interface Place {
  /** undefined: it has ended, and another has not started yet. */
  worker: Worker | undefined
  isReady: boolean
  /** Whether it was killed because it stood still. */
  isStill: boolean
  /** Consecutive ends within a minute of the start. */
  failures: number
}

/**
 * Runs the program several times on one port and replaces each process that ends or stands still. The first worker alone prepares the
 * store; the others start when it answers requests.
 * @returns when all have ended: the exit code, 0 where each ended in order after `stopping`
 */
export async function supervise({
  count,
  env,
  log,
  onReady,
  stopping,
  patience,
  beat,
}: Options): Promise<number> {
  const places = new Map<number, Place>()
  const heartbeats = createHeartbeats(beat)
  const replaced: Replaced = { ended: 0, stood_still: 0 }
  const ended = Promise.withResolvers<number>()
  const stop = new AbortController()
  const allEnded = new AbortController()
  let isStopping = false
  let wasReady = false
  let code = 0

  const living = () => [...places.values()].flatMap(({ worker }) => worker ?? [])

  function end(): void {
    if (!isStopping) {
      for (const worker of living()) worker.process.kill('SIGTERM')
      void pause(patience, allEnded.signal).then(killLate)
    }
    isStopping = true
    stop.abort()
    if (living().length > 0) return
    allEnded.abort()
    endBeats()
    ended.resolve(code)
  }

  /** A stopped process (SIGSTOP) does not handle SIGTERM. */
  function killLate(): void {
    if (living().length === 0) return
    log.error({ workers: living().length, after: patience }, 'workers have not ended and are killed')
    killWorkers()
  }

  function pass(to: number, message: ToWorker): void {
    const worker = places.get(to)?.worker
    // The channel of an ending worker may be closed; the answer then comes from the other workers only.
    if (worker?.isConnected()) worker.send(message, undefined, undefined, () => {})
  }

  function receive(number: number, message: FromWorker): void {
    if (message.kind === 'heartbeat') heartbeats.answered(number)
    else if (message.kind === 'ready') becomeReady(number, message.ready)
    else if (message.kind === 'metrics.give') pass(message.to, { ...message, from: number })
    else askOthers(number, message.id)
  }

  function ask(): void {
    for (const number of places.keys()) pass(number, { kind: 'heartbeat' })
  }

  /** It also ends the connections that the kernel has given to the socket of the worker. */
  function killStill(number: number): void {
    const place = places.get(number)
    if (place?.worker === undefined) return
    log.error({ worker: number }, 'a worker stands still and is killed')
    place.isStill = true
    place.worker.process.kill('SIGKILL')
  }

  function askOthers(number: number, id: number): void {
    pass(number, { kind: 'metrics.replaced', id, replaced })
    for (let other = 1; other <= count; other += 1) {
      if (other === number) continue
      if (places.get(other)?.isReady) pass(other, { kind: 'metrics.ask', id, from: number })
      else pass(number, { kind: 'metrics.give', id, from: other, metrics: null })
    }
  }

  function becomeReady(number: number, ready: Ready): void {
    const place = places.get(number)
    if (place !== undefined) place.isReady = true
    heartbeats.answered(number)
    log.info({ worker: number }, 'a worker answers requests')
    if (wasReady) return
    wasReady = true
    onReady(ready)
    for (let other = 1; other <= count; other += 1) if (!places.has(other)) begin(other)
  }

  function begin(number: number): void {
    if (isStopping) return
    const lived = stopwatch()
    const worker = cluster.fork({
      ...env,
      [NUMBER]: String(number),
      ...(wasReady ? {} : { [BEGINS]: 'yes' }),
    })
    const failures = places.get(number)?.failures ?? 0
    places.set(number, { worker, isReady: false, isStill: false, failures })
    heartbeats.began(number)
    worker.on('message', (message: FromWorker) => {
      // Messages of an ended worker do not concern its replacement.
      if (places.get(number)?.worker === worker) receive(number, message)
    })
    worker.on('error', (err) => log.error({ err, worker: number }, 'a worker cannot be reached'))
    worker.once('exit', (exit, signal) => replace(number, lived(), exit, signal))
  }

  function replace(number: number, lived: Millis, exit: number | null, signal: string | null): void {
    const place = places.get(number)
    const failures = lived < STABLE ? (place?.failures ?? 0) + 1 : 0
    places.set(number, { worker: undefined, isReady: false, isStill: false, failures })
    heartbeats.forget(number)
    const isAnswering = [...places.values()].some(({ isReady }) => isReady)
    // A worker that never became ready has logged its reason. If all workers keep ending, the first process exits, so that its supervisor knows.
    const isLost = !wasReady || (failures >= MOST_FAILURES && !isAnswering)
    if (isStopping || isLost) {
      // A worker that had not started yet has nothing to end in order.
      const isInOrder = exit === 0 || (isStopping && signal === 'SIGTERM')
      if (!isInOrder) code = exit ?? 1
      if (isLost && !isStopping) code ||= 1
      end()
      return
    }
    const after = waitAfter(WAITS, failures)
    log.error({ worker: number, code: exit, signal, after }, 'a worker ended and is replaced')
    replaced[place?.isStill ? 'stood_still' : 'ended'] += 1
    void pause(after, stop.signal).then(() => begin(number))
  }

  // The single executable takes flags of Node in one argument, and its command after it (`packaging/executable`).
  if (isSea())
    cluster.setupPrimary({
      exec: `--node-options=${process.execArgv.join(' ')}`,
      execArgv: [],
      args: process.argv.slice(2),
    })
  begin(1)
  const endBeats = heartbeats.repeat({ onStill: killStill, ask })
  void stopping.then(end)
  return ended.promise
}
