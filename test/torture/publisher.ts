import { Pool } from 'undici'
import { pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { CATALOGUE, type ErrorCode } from '#src/core/errors.ts'

/** What the load publishes: four runs to one file. */
export type Type = 'agent.run.completed' | 'file.processed'

/** A steady load of events, and its answers. */
export interface Load {
  /** Events whose 202 was read to its end, by id. */
  acknowledged: Map<string, Type>
  /** Events that were asked for again with the same Idempotency-Key until there was an answer: run → event. */
  insisted: Map<string, string>
  /** Requests that got no answer. */
  unanswered(): number
  /** Refusals by the catalogue's code. */
  refusals: Map<string, number>
  /** Answers that the catalogue does not know. */
  strange: string[]
  /** Publishes no more; resolves when everything that insists on an answer has one. */
  stop(): Promise<void>
  /** Stops publishing, without waiting for answers. */
  abandon(): void
}

const CONNECTIONS = 64
/** Requests under way or waiting for a connection at most: a server that does not answer gets no more. */
const MOST_UNDER_WAY = 256
const TICK = 5
/** One of this many requests is a batch, and one of the others is repeated until it is answered. */
const BATCH_EVERY = 40
const BATCH_SIZE = 20
const INSIST_EVERY = 10

interface Event {
  type: Type
  data: { runId: string }
}

/** @param rate events a second, whatever the answers */
export function startLoad(url: string, key: string, rate: number): Load {
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: 60_000 })
  const acknowledged = new Map<string, Type>()
  const insisted = new Map<string, string>()
  const refusals = new Map<string, number>()
  const strange: string[] = []
  /** What insists and was not answered yet. */
  const repeated: Event[] = []
  const underWay = new Set<Promise<void>>()
  let [unanswered, made, requests] = [0, 0, 0]
  let [isOver, isAbandoned] = [false, false]

  function nextEvent(): Event {
    made += 1
    const type = made % 5 === 0 ? 'file.processed' : 'agent.run.completed'
    const runId = `run_${made}`
    const data = { agentId: 'agent_1', runId, status: 'succeeded', durationMs: 12, output: 'x'.repeat(200) }
    return { type, data }
  }

  /** The answer of a 202; undefined where there was another one, or none. */
  async function post<Body>(path: string, body: object, key2?: string): Promise<Body | undefined> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...(key2 === undefined ? {} : { 'idempotency-key': key2 }),
    }
    try {
      const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })
      const text = await answer.body.text()
      if (answer.statusCode === 202) return JSON.parse(text) as Body
      refuse(answer.statusCode, text)
    } catch {
      unanswered += 1
    }
    return undefined
  }

  function refuse(status: number, text: string): void {
    const code = (/"code":"([A-Z_]+)"/.exec(text)?.[1] ?? '') as ErrorCode
    if (CATALOGUE[code]?.status === status) refusals.set(code, (refusals.get(code) ?? 0) + 1)
    else strange.push(`${status} ${text.slice(0, 200)}`)
  }

  async function publish(event: Event, insists: boolean): Promise<void> {
    const answer = await post<{ id: string }>('/v1/events', event, insists ? event.data.runId : undefined)
    if (answer !== undefined) acknowledged.set(answer.id, event.type)
    if (!insists) return
    if (answer === undefined) repeated.push(event)
    else insisted.set(event.data.runId, answer.id)
  }

  async function publishBatch(): Promise<void> {
    const events = Array.from({ length: BATCH_SIZE }, nextEvent)
    const answer = await post<{ results: { id?: string }[] }>('/v1/events/batch', { events })
    for (const [index, { id }] of (answer?.results ?? []).entries())
      if (id !== undefined) acknowledged.set(id, events[index]?.type ?? 'agent.run.completed')
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  /** Sends one request. @returns the number of its events */
  function sendNext(): number {
    requests += 1
    const waiting = repeated.shift()
    if (waiting !== undefined) track(publish(waiting, true))
    else if (requests % BATCH_EVERY === 0) {
      track(publishBatch())
      return BATCH_SIZE
    } else track(publish(nextEvent(), requests % INSIST_EVERY === 1))
    return 1
  }

  async function run(): Promise<void> {
    const elapsed = stopwatch()
    let sent = 0
    while (!isOver) {
      await pause(TICK)
      // What could not be sent in time is not made up for: the load is steady.
      sent = Math.max(sent, (elapsed() * rate) / SECOND - rate / 10)
      while (sent < (elapsed() * rate) / SECOND && underWay.size < MOST_UNDER_WAY) sent += sendNext()
    }
    while (!isAbandoned && (repeated.length > 0 || underWay.size > 0)) {
      await Promise.all(underWay)
      if (repeated.length > 0) {
        await pause(TICK)
        sendNext()
      }
    }
  }

  const running = run()
  return {
    acknowledged,
    insisted,
    unanswered: () => unanswered,
    refusals,
    strange,
    async stop() {
      isOver = true
      await running
      await pool.close()
    },
    abandon() {
      isOver = true
      isAbandoned = true
      void pool.destroy().catch(() => {})
    },
  }
}
