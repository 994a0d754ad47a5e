import type { Client } from '@modelcontextprotocol/client'
import { type Clock, type Millis, SECOND } from '../../../core/clock.ts'
import type { Id } from '../../../core/id.ts'
import { VERSION } from '../../../core/version.ts'
import type { Agent } from '../../../net/agent.ts'
import { reasonOfStatus, ServerFailure } from './failures.ts'
import { watchAnswers } from './lost-answers.ts'
import { createServerFetch, LARGEST_ANSWERS, MOST_RESUMPTIONS, type Traffic } from './server-fetch.ts'

/** A server as it is called: its headers opened, a connection's token among them. */
export interface Target {
  url: URL
  headers: Record<string, string>
  organizationId: Id<'organization'>
  /** Another `authorization` in the place of one that was refused; undefined where there is none. @throws ServerFailure */
  renew?: () => Promise<string | undefined>
}

export interface AttemptDeps {
  clock: Clock
  agent: Agent
}

/** What an attempt may take. */
export interface Patience {
  deadline: Millis
  /** Ends it early. */
  signal?: AbortSignal
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

/**
 * One attempt with a server: connects, does `work`, and ends the session. A client lives no longer than this, so that
 * none is left with a session that the server has forgotten.
 * @throws ServerFailure, and nothing else that comes from the outside
 */
export async function attempt<T>(
  { clock, agent }: AttemptDeps,
  { organizationId, ...server }: Target,
  { deadline, signal: outer }: Patience,
  work: (client: Client, options: { timeout: Millis; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const { Client, StreamableHTTPClientTransport, ProtocolError } = await import(
    '@modelcontextprotocol/client'
  )
  const over = new AbortController()
  const cancel = clock.after(deadline, () => over.abort(new Error('timeout')))
  const signal = outer === undefined ? over.signal : AbortSignal.any([over.signal, outer])
  const traffic: Traffic = {
    ...{ status: undefined, failure: undefined },
    ...{ isStream: false, mayHaveArrived: false },
  }
  const allowance = { left: LARGEST_ANSWERS, resumptions: MOST_RESUMPTIONS }
  const limits = { signal, agent, owner: organizationId, allowance }
  const transport = new StreamableHTTPClientTransport(server.url, {
    fetch: createServerFetch(server, limits, traffic),
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: (reconnect, delay) => clock.after(Math.max(delay, SHORTEST_WAIT), reconnect),
  })
  const lost = new AbortController()
  watchAnswers(transport, traffic, () => lost.abort(new Error('cut_short')))
  const client = new Client(
    { name: 'postern', version: VERSION },
    { versionNegotiation: { mode: 'auto' }, listMaxPages: 16, inputRequired: { autoFulfill: false } },
  )
  const options = { timeout: deadline + BEHIND, signal }
  let isConnected = false
  try {
    const ended = aborted(AbortSignal.any([signal, lost.signal]))
    await Promise.race([client.connect(transport, options), ended])
    isConnected = true
    return await Promise.race([work(client, options), ended])
  } catch (error) {
    const mayHaveActed = isConnected && traffic.mayHaveArrived && !isRefusal(traffic.status)
    const fail = (reason: string) => new ServerFailure(reason, { mayHaveActed, cause: error })
    if (error instanceof ServerFailure) throw error
    if (outer?.aborted) throw fail('cancelled')
    if (over.signal.aborted) throw fail('timeout')
    if (traffic.failure !== undefined) throw fail(traffic.failure.reason)
    if (traffic.status !== undefined && traffic.status >= 400) throw fail(reasonOfStatus(traffic.status))
    if (error instanceof ProtocolError)
      throw new ServerFailure('protocol_error', { mayHaveActed: false, cause: error })
    throw fail(lost.signal.aborted ? 'cut_short' : 'bad_protocol')
  } finally {
    if (!signal.aborted && transport.sessionId !== undefined)
      await Promise.race([transport.terminateSession(), aborted(signal)]).catch(() => {})
    await client.close().catch(() => {})
    cancel()
    over.abort()
  }
}

/** A server that refuses a request has not done what it asks for; one that fails at it may have. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500
}

function aborted(signal: AbortSignal): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Whoever does not wait for it any more is not to be disturbed.
  ended.catch(() => {})
  return ended
}
