import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import { SECOND } from '../core/clock.ts'
import type { AddressRule } from './address.ts'
import { allowedAddresses, type Resolve } from './destination.ts'
import { createOpenSockets } from './open-sockets.ts'
import { type Contact, createTimedClient } from './timed-client.ts'

export interface AgentOptions {
  isAllowed: AddressRule
  resolve: Resolve
}

/** Connections of one owner to one origin. */
export const MOST_TO_ORIGIN = 256

/** How long a connection may take to open; one that is not used is closed after the second. */
const CONNECT_TIMEOUT = 10 * SECOND
const IDLE_TIMEOUT = 10 * SECOND

/** A connection that is somebody's to use until it is released. */
export interface Place {
  dispatcher: Dispatcher
  release: () => void
}

/**
 * The only door to destinations that strangers name: each connection is resolved once, every address is checked, and
 * the socket is opened to a checked one. Connections to one origin are shared by the requests of one owner alone: who
 * keeps all of theirs waiting takes none from another.
 */
export interface Agent {
  /**
   * A connection for one request; waits while all of the owner's to this origin are in use.
   * @param owner the organization that asks, or what else has a share of its own
   * @throws the signal's reason, when it ends the wait
   */
  reserve(owner: string, origin: string, signal?: AbortSignal): Promise<Place>
  close(): Promise<void>
}

type Undici = typeof import('undici')

/** The connections of one owner to one origin. */
interface Line {
  pool: Pool
  busy: number
  waiting: Set<() => void>
}

/** Nothing is loaded before the first request: who calls nobody does not carry the client. */
export function createAgent({ isAllowed, resolve }: AgentOptions): Agent {
  const lines = new Map<string, Line>()
  const sockets = createOpenSockets<Line>(closeLine)
  /** To ask for it again, however long it has been there, takes turns of its own. */
  let loaded: Undici | undefined

  /** Its idle connections are closed; the next request begins a new line. */
  function closeLine(line: Line, key: string): void {
    lines.delete(key)
    void line.pool.close()
  }

  function lineTo(undici: Undici, owner: string, origin: string, key: string): Line {
    const known = lines.get(key)
    if (known !== undefined) return known
    const pool = new undici.Pool(origin, {
      connections: MOST_TO_ORIGIN,
      pipelining: 1,
      // One that is slow to say which protocol it speaks would hold up all others.
      allowH2: false,
      keepAliveTimeout: IDLE_TIMEOUT,
      // Whatever the destination would like.
      keepAliveMaxTimeout: IDLE_TIMEOUT,
      headersTimeout: 0,
      bodyTimeout: 0,
      factory: (url, options) =>
        createTimedClient(undici, url, options, (contact) => connectorOf(undici, owner, contact)),
    })
    const line: Line = { pool, busy: 0, waiting: new Set() }
    lines.set(key, line)
    pool.on('disconnect', () => rest(line, owner, key))
    return line
  }

  function connectorOf({ buildConnector }: Undici, owner: string, contact: Contact) {
    return (options: buildConnector.Options, callback: buildConnector.Callback) => {
      const opening = contact.begin()
      allowedAddresses(options.hostname, isAllowed, (name) => resolve(name, owner)).then(
        (addresses) => {
          opening.resolved(addresses)
          sockets.makeRoom(owner)
          const connect = buildConnector({
            timeout: CONNECT_TIMEOUT,
            allowH2: false,
            // Node asks this instead of the resolver; a literal address it does not ask at all.
            lookup: (_hostname, { all }, done) => {
              if (all) return done(null, addresses)
              const [first] = addresses
              return done(null, first?.address ?? '', first?.family)
            },
          })
          const isSecure = options.protocol === 'https:'
          // It does answer its socket, whatever its type says.
          const socket = connect(options, (...opened) => {
            const [, made] = opened
            if (made && isSecure) opening.secured()
            if (made) sockets.add(owner, made)
            callback(...opened)
          }) as unknown as Socket
          socket.prependOnceListener('connect', () => opening.connected(socket.remoteAddress))
        },
        (error: Error) => callback(error, null),
      )
    }
  }

  /** A line that nobody uses may be closed for others' sake; one without connections is gone. */
  function rest(line: Line, owner: string, key: string): void {
    if (line.busy > 0 || lines.get(key) !== line) return
    if (line.pool.stats.connected > 0) {
      sockets.rest(line, owner, key)
    } else {
      sockets.use(line)
      closeLine(line, key)
    }
  }

  function release(line: Line, owner: string, key: string): void {
    const [next] = line.waiting
    if (next === undefined) {
      line.busy -= 1
      rest(line, owner, key)
    } else {
      line.waiting.delete(next)
      next()
    }
  }

  return {
    async reserve(owner, origin, signal) {
      const key = `${owner} ${origin}`
      loaded ??= await import('undici')
      const line = lineTo(loaded, owner, origin, key)
      sockets.use(line)
      if (line.busy < MOST_TO_ORIGIN) line.busy += 1
      else await turnOf(line, signal)
      let isReleased = false
      return {
        dispatcher: line.pool,
        release() {
          if (isReleased) return
          isReleased = true
          release(line, owner, key)
        },
      }
    },
    async close() {
      await Promise.all([...lines.values()].map(({ pool }) => pool.close()))
    },
  }
}

/** Waits until a connection of the line is handed over. */
function turnOf({ waiting }: Line, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    waiting.add(go)
    signal?.addEventListener('abort', giveUp)
    function go() {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    function giveUp() {
      waiting.delete(go)
      reject(signal?.reason)
    }
  })
}
