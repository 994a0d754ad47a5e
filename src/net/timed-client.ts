import type { buildConnector, Client } from 'undici'
import { stopwatch } from '../core/clock.ts'
import type { Address } from './hosts.ts'

type Undici = typeof import('undici')

/** How a request came to its destination: milliseconds of each part; null where it was not needed or did not end. */
export interface Reached {
  /** The address that it went to. */
  address: string | null
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** From when it was written until its answer began. */
  firstByteMs: number | null
}

/** Of a request that went nowhere. */
export const NOT_REACHED: Reached = {
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
}

/** What a handler of a request may have, to be shown the connection that it gets. */
export interface Contacted {
  onContact?: (contact: Contact) => void
}

/** The present connection of a client. */
export class Contact {
  #opening: Omit<Reached, 'firstByteMs'> = NOT_REACHED
  #isUsed = false

  /** Called when a connection begins to be opened. @returns what is called at each step of that */
  begin() {
    const opening = { address: null, dnsMs: null, connectMs: null, tlsMs: null } as Reached
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

  /** As the request sees it that has it now: what its opening took is the matter of the first one alone. */
  show(): Omit<Reached, 'firstByteMs'> {
    return this.#isUsed ? { ...NOT_REACHED, address: this.#opening.address } : { ...this.#opening }
  }

  /** A request is written to it. */
  use(): void {
    this.#isUsed = true
  }
}

type ConnectorOf = (contact: Contact) => buildConnector.connector

let timedClient: ReturnType<typeof defineTimedClient> | undefined

function defineTimedClient({ Client }: Undici) {
  return class TimedClient extends Client {
    readonly #contact: Contact

    constructor(origin: URL, options: Client.Options, connectorOf: ConnectorOf) {
      const contact = new Contact()
      super(origin, { ...options, connect: connectorOf(contact) })
      this.#contact = contact
    }

    override dispatch(...[question, handler]: Parameters<Client['dispatch']>): boolean {
      ;(handler as Contacted).onContact?.(this.#contact)
      return super.dispatch(question, handler)
    }
  }
}

/** A client of one connection at a time that tells each request about it. */
export function createTimedClient(
  undici: Undici,
  origin: URL,
  options: Client.Options,
  connectorOf: ConnectorOf,
): Client {
  // Once for all: a class for each of ten thousand clients would cost more than what it adds.
  timedClient ??= defineTimedClient(undici)
  return new timedClient(origin, options, connectorOf)
}
