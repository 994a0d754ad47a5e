import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Clock, type Millis, SECOND } from '../../../core/clock.ts'
import type { Id } from '../../../core/id.ts'
import { VERSION } from '../../../core/version.ts'
import type { Agent } from '../../../net/agent.ts'
import { CallError } from '../../../net/call.ts'
import { isForgotten, type Traffic, toFailure } from './failures.ts'
import { type Exchange, watchAnswers } from './lost-answers.ts'
import { createServerFetch, LARGEST_ANSWERS, MOST_RESUMPTIONS } from './server-fetch.ts'

/** A server as it is called: its headers opened, a connection's token among them. */
export interface Target {
  url: URL
  headers: Record<string, string>
  organizationId: Id<'organization'>
  /** Changes with the address and the headers of the server. */
  revision: string
  /** Another `authorization` in the place of one that was refused; undefined where there is none. @throws ServerFailure */
  renew?: () => Promise<string | undefined>
}

interface SessionDeps {
  clock: Clock
  agent: Agent
}

/** What a use of a session may take. */
export interface Patience {
  deadline: Millis
  /** Ends it early. */
  signal?: AbortSignal
  /** Sent with its requests beside those of the server. */
  headers?: Record<string, string>
}

type Work<T> = (client: Client, options: { timeout: Millis; signal: AbortSignal }) => Promise<T>

/**
 * A session with one server, begun at its first use and kept for later ones, so that a call is one request. After an error, or
 * with other headers (a renewed token, for example), a new session is begun.
 */
export interface Session {
  /**
   * Does `work` in the session; work that overlaps has a session of its own. Where the server has forgotten the session and
   * refuses the request for that, `work` is done once in a new one.
   * @throws ServerFailure, and no other error from outside
   */
  use<T>(target: Target, patience: Patience, work: Work<T>): Promise<T>
  /**
   * Ends the session at the server.
   * @param isStill whether the server may still be called with its current settings; where it may not, no request is sent
   */
  close(isStill?: (target: Target) => Promise<boolean>): Promise<void>
}

/** The client's own timers, on the machine's clock, only stand behind ours. */
const BEHIND: Millis = 60 * SECOND

/** How long it waits before it takes up a stream, where the server does not say: longer each time that this fails. */
const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: SECOND,
  maxReconnectionDelay: 5 * SECOND,
  reconnectionDelayGrowFactor: 2,
}
/** And the shortest, whatever it says. */
const SHORTEST_WAIT: Millis = 100

/** How long a server may take to be told that a session is over. */
const FAREWELL: Millis = 2 * SECOND

/** A client and its way to the server. */
interface Line {
  client: Client
  transport: StreamableHTTPClientTransport
  target: Target
  /** Of the use under way. */
  exchange: Exchange
  isConnected: boolean
}

export function createSession({ clock, agent }: SessionDeps): Session {
  /** Connected, without an error, and not in use. */
  let kept: Line | undefined
  let isClosed = false

  async function take(target: Target): Promise<Line> {
    const line = kept
    kept = undefined
    if (line !== undefined && isSame(line.target, target)) return line
    if (line !== undefined) await line.client.close().catch(() => {})
    return openLine(clock, target)
  }

  function exchangeOf(target: Target, { signal, headers }: Pick<Patience, 'signal' | 'headers'>): Exchange {
    const traffic: Traffic = {
      ...{ status: undefined, failure: undefined },
      ...{ isStream: false, mayHaveArrived: false },
    }
    const lost = new AbortController()
    const allowance = { left: LARGEST_ANSWERS, resumptions: MOST_RESUMPTIONS }
    const limits = { signal: signal as AbortSignal, clock, agent, owner: target.organizationId, allowance }
    const server = { ...target, headers: { ...target.headers, ...headers } }
    const send = createServerFetch(server, limits, traffic)
    return { traffic, lost: lost.signal, onLost: () => lost.abort(new Error('cut_short')), send }
  }

  async function end(line: Line, signal?: AbortSignal): Promise<void> {
    const over = new AbortController()
    const cancel = clock.after(FAREWELL, () => over.abort(new Error('timeout')))
    if (line.transport.sessionId !== undefined && !signal?.aborted) {
      line.exchange = exchangeOf(line.target, { signal: over.signal })
      await Promise.race([line.transport.terminateSession(), aborted(over.signal)]).catch(() => {})
    }
    await line.client.close().catch(() => {})
    cancel()
    over.abort()
  }

  async function keep(line: Line): Promise<void> {
    if (isClosed || kept !== undefined) await end(line)
    else kept = line
  }

  async function use<T>(target: Target, patience: Patience, work: Work<T>): Promise<T> {
    const { deadline, signal: outer } = patience
    const overAt = clock.now() + deadline
    const over = new AbortController()
    const cancel = clock.after(deadline, () => over.abort(new Error('timeout')))
    const signal = outer === undefined ? over.signal : AbortSignal.any([over.signal, outer])
    const line = await take(target)
    const wasKept = line.isConnected
    const exchange = exchangeOf(target, { ...patience, signal })
    line.exchange = exchange
    const options = { timeout: deadline + BEHIND, signal }
    try {
      const ended = aborted(AbortSignal.any([signal, exchange.lost]))
      if (!wasKept) await Promise.race([line.client.connect(line.transport, options), ended])
      line.isConnected = true
      const done = await Promise.race([work(line.client, options), ended])
      await keep(line)
      return done
    } catch (error) {
      const { isConnected } = line
      const failure = await toFailure(error, {
        ...{ traffic: exchange.traffic, isConnected, isLost: exchange.lost.aborted },
        ...{ isCancelled: outer?.aborted === true, isLate: over.signal.aborted },
      })
      const isForgiven = failure.reason === 'protocol_error' && isConnected
      const isGone = wasKept && line.transport.sessionId !== undefined && isForgotten(error, exchange.traffic)
      // Said in the protocol's own words: the session is as good as before.
      if (isForgiven) await keep(line)
      else if (isGone) await line.client.close().catch(() => {})
      else await end(line, signal)
      // It was refused, and nothing was done for it.
      if (isGone && !signal.aborted)
        return await use(target, { ...patience, deadline: Math.max(0, overAt - clock.now()) }, work)
      throw failure
    } finally {
      cancel()
      // Answers that have not come are not awaited.
      over.abort()
      if (line.exchange === exchange) line.exchange = { ...exchange, send: unused }
    }
  }

  return {
    use,
    async close(isStill = async () => true) {
      isClosed = true
      const line = kept
      kept = undefined
      if (line === undefined) return
      if (line.transport.sessionId === undefined || (await isStill(line.target))) await end(line)
      else await line.client.close().catch(() => {})
    },
  }
}

async function openLine(clock: Clock, target: Target): Promise<Line> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client(
    { name: 'postern', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: 16, inputRequired: { autoFulfill: false } },
  )
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: (...asked) => line.exchange.send(...asked),
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: (reconnect, delay) => clock.after(Math.max(delay, SHORTEST_WAIT), reconnect),
  })
  const line: Line = { client, transport, target, exchange: NONE, isConnected: false }
  watchAnswers(transport, () => line.exchange)
  return line
}

/** Between uses no request is sent, not even one that resumes a stream. */
const unused = async (): Promise<Response> => {
  throw new CallError('unreachable')
}
const NONE: Exchange = {
  traffic: { status: undefined, failure: undefined, isStream: false, mayHaveArrived: false },
  lost: new AbortController().signal,
  onLost() {},
  send: unused,
}

/** Whether a session of one server serves for the other: the same address and the same credentials. */
function isSame(one: Target, other: Target): boolean {
  return (
    one.url.href === other.url.href &&
    one.organizationId === other.organizationId &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers)
  )
}

function aborted(signal: AbortSignal): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // The caller no longer waits, so an error here concerns no one.
  ended.catch(() => {})
  return ended
}
