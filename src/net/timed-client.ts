import type { buildConnector, Client } from 'undici'
import { stopwatch } from '../core/clock.ts'
import type { Address } from './hosts.ts'

type Undici = typeof import('undici')

/**
 * The address and the timings of a request's connection, in milliseconds; null for phases that did not occur or end.
 */
export interface ConnectionTimings {
  /** The address of the connection. */
  address: string | null
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** From writing the request to the start of its answer. */
  firstByteMs: number | null
}

/** The timings of a request without a connection. */
export const NO_TIMINGS: ConnectionTimings = {
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
}

/** Implemented by request handlers that need the timings of their connection. */
export interface ConnectionObserver {
  onContact?: (contact: ConnectionTimer) => void
}

/** The timings of a client's current connection. */
export class ConnectionTimer {
  #opening: Omit<ConnectionTimings, 'firstByteMs'> = NO_TIMINGS
  #isUsed = false

  /** Starts the timings of a new connection. @returns the callbacks for each phase */
  begin() {
    const opening = { address: null, dnsMs: null, connectMs: null, tlsMs: null } as ConnectionTimings
    this.#opening = opening
    this.#isUsed = false
    let lap = stopwatch()
    const take = () => {
      const took = lap()
      lap = stopwatch()
      return took
    }
    return {
      resolved([first]: Address[]): void {
        opening.dnsMs = take()
        opening.address = first?.address ?? null
      },
      connected(address: string | undefined): void {
        opening.connectMs = take()
        opening.address = address ?? opening.address
      },
      secured(): void {
        opening.tlsMs = take()
      },
    }
  }

  /** The timings for the current request: only the first request of a connection includes its opening. */
  show(): Omit<ConnectionTimings, 'firstByteMs'> {
    return this.#isUsed ? { ...NO_TIMINGS, address: this.#opening.address } : { ...this.#opening }
  }

  /** Notes that a request is written to the connection. */
  use(): void {
    this.#isUsed = true
  }
}

type ConnectorOf = (contact: ConnectionTimer) => buildConnector.connector

let timedClient: ReturnType<typeof defineTimedClient> | undefined

function defineTimedClient({ Client }: Undici) {
  return class TimedClient extends Client {
    readonly #contact: ConnectionTimer

    constructor(origin: URL, options: Client.Options, connectorOf: ConnectorOf) {
      const contact = new ConnectionTimer()
      super(origin, { ...options, connect: connectorOf(contact) })
      this.#contact = contact
    }

    override dispatch(...[question, handler]: Parameters<Client['dispatch']>): boolean {
      ;(handler as ConnectionObserver).onContact?.(this.#contact)
      return super.dispatch(question, handler)
    }
  }
}

/** Creates a client with one connection at a time that passes its timings to each request. */
export function createTimedClient(
  undici: Undici,
  origin: URL,
  options: Client.Options,
  connectorOf: ConnectorOf,
): Client {
  // One class for all clients: a class for each of ten thousand would cost more than the method that it adds.
  timedClient ??= defineTimedClient(undici)
  return new timedClient(origin, options, connectorOf)
}
