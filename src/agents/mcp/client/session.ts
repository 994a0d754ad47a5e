import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Clock, type Millis, SECOND } from '../../../core/clock.ts'
import type { Id } from '../../../core/id.ts'
import { VERSION } from '../../../core/version.ts'
import type { Agent } from '../../../net/agent.ts'
import { CallError } from '../../../net/call.ts'
import { isSessionLost, type Traffic, toServerFailure } from './failures.ts'
import { createServerFetch, LARGEST_ANSWERS, MOST_RESUMPTIONS } from './server-fetch.ts'
import { type SessionUse, watchUnanswered } from './unanswered-requests.ts'

/** A server with its decrypted headers, including the token of a connection. */
export interface Target {
  url: URL
  headers: Record<string, string>
  organizationId: Id<'organization'>
  /** Changes with the address and the headers of the server. */
  revision: string
  /** Another `authorization` instead of a refused one; undefined where there is none. @throws ServerFailure */
  renew?: () => Promise<string | undefined>
}

interface SessionDeps {
  clock: Clock
  agent: Agent
}

/** The limits of one use of a session. */
export interface UseLimits {
  deadline: Millis
  /** Ends the use early. */
  signal?: AbortSignal
  /** Headers in addition to those of the server. */
  headers?: Record<string, string>
}

type Work<T> = (client: Client, options: { timeout: Millis; signal: AbortSignal }) => Promise<T>

/**
 * A session with one server. It starts with its first use and is kept, so that a later call is one request. After an
 * error, or with other headers (such as a renewed token), a new session starts.
 */
export interface Session {
  /**
   * Runs `work` in the session; overlapping work gets a session of its own. If the server refuses because it has lost
   * the session, `work` runs once more in a new one.
   * @throws ServerFailure, and no other error from outside
   */
  use<T>(target: Target, patience: UseLimits, work: Work<T>): Promise<T>
  /**
   * Ends the session at the server.
   * @param isStill whether the server may still be called with its current settings; otherwise no request is sent
   */
  close(isStill?: (target: Target) => Promise<boolean>): Promise<void>
}

/** The client's own timers run on the machine's clock; they end this much after ours and act as a backstop. */
const LIBRARY_MARGIN: Millis = 60 * SECOND

/** The wait before a stream is resumed, where the server names none; it grows with each failure. */
const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: SECOND,
  maxReconnectionDelay: 5 * SECOND,
  reconnectionDelayGrowFactor: 2,
}
/** The shortest wait, even if the server names a shorter one. */
const SHORTEST_WAIT: Millis = 100

/** Longest request that ends a session. */
const CLOSE_DEADLINE: Millis = 2 * SECOND

/** A client with its transport. */
interface ClientConnection {
  client: Client
  transport: StreamableHTTPClientTransport
  target: Target
  /** Belongs to the current use. */
  exchange: SessionUse
  isConnected: boolean
}

export function createSession({ clock, agent }: SessionDeps): Session {
  /** A connected and unused client without an error. */
  let kept: ClientConnection | undefined
  let isClosed = false

  async function take(target: Target): Promise<ClientConnection> {
    const line = kept
    kept = undefined
    if (line !== undefined && isSame(line.target, target)) return line
    if (line !== undefined) await line.client.close().catch(() => {})
    return openClient(clock, target)
  }

  function exchangeOf(
    target: Target,
    { signal, headers }: Pick<UseLimits, 'signal' | 'headers'>,
  ): SessionUse {
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

  async function end(line: ClientConnection, signal?: AbortSignal): Promise<void> {
    const over = new AbortController()
    const cancel = clock.after(CLOSE_DEADLINE, () => over.abort(new Error('timeout')))
    if (line.transport.sessionId !== undefined && !signal?.aborted) {
      line.exchange = exchangeOf(line.target, { signal: over.signal })
      await Promise.race([line.transport.terminateSession(), aborted(over.signal)]).catch(() => {})
    }
    await line.client.close().catch(() => {})
    cancel()
    over.abort()
  }

  async function keep(line: ClientConnection): Promise<void> {
    if (isClosed || kept !== undefined) await end(line)
    else kept = line
  }

  async function use<T>(target: Target, patience: UseLimits, work: Work<T>): Promise<T> {
    const { deadline, signal: outer } = patience
    const overAt = clock.now() + deadline
    const over = new AbortController()
    const cancel = clock.after(deadline, () => over.abort(new Error('timeout')))
    const signal = outer === undefined ? over.signal : AbortSignal.any([over.signal, outer])
    const line = await take(target)
    const wasKept = line.isConnected
    const exchange = exchangeOf(target, { ...patience, signal })
    line.exchange = exchange
    const options = { timeout: deadline + LIBRARY_MARGIN, signal }
    try {
      const ended = aborted(AbortSignal.any([signal, exchange.lost]))
      if (!wasKept) await Promise.race([line.client.connect(line.transport, options), ended])
      line.isConnected = true
      const done = await Promise.race([work(line.client, options), ended])
      await keep(line)
      return done
    } catch (error) {
      const { isConnected } = line
      const failure = await toServerFailure(error, {
        ...{ traffic: exchange.traffic, isConnected, isLost: exchange.lost.aborted },
        ...{ isCancelled: outer?.aborted === true, isLate: over.signal.aborted },
      })
      const isForgiven = failure.reason === 'protocol_error' && isConnected
      const isGone =
        wasKept && line.transport.sessionId !== undefined && isSessionLost(error, exchange.traffic)
      // The server reported the error within the protocol: the session still works.
      if (isForgiven) await keep(line)
      else if (isGone) await line.client.close().catch(() => {})
      else await end(line, signal)
      // The server refused the request and has done nothing for it.
      if (isGone && !signal.aborted)
        return await use(target, { ...patience, deadline: Math.max(0, overAt - clock.now()) }, work)
      throw failure
    } finally {
      cancel()
      // Cancels the answers that are still missing.
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

async function openClient(clock: Clock, target: Target): Promise<ClientConnection> {
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
  const line: ClientConnection = { client, transport, target, exchange: NONE, isConnected: false }
  watchUnanswered(transport, () => line.exchange)
  return line
}

/** Between uses no request is sent, not even one that resumes a stream. */
const unused = async (): Promise<Response> => {
  throw new CallError('unreachable')
}
const NONE: SessionUse = {
  traffic: { status: undefined, failure: undefined, isStream: false, mayHaveArrived: false },
  lost: new AbortController().signal,
  onLost() {},
  send: unused,
}

/** Whether two targets can share a session: the same address and the same credentials. */
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
  // The caller no longer waits, so this error is ignored.
  ended.catch(() => {})
  return ended
}
