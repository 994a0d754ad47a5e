import type { buildConnector, Dispatcher } from 'undici'
import type { AddressRule } from './address.ts'
import { allowedAddresses, type Resolve } from './destination.ts'

export interface AgentOptions {
  isAllowed: AddressRule
  resolve: Resolve
  /** How long a connection may take to open, in milliseconds. */
  connectTimeout: number
}

/**
 * The only door to destinations that strangers name: each connection is resolved once, every address is
 * checked, and the socket is opened to a checked one; the name is never asked for again.
 */
async function openAgent({ isAllowed, resolve, connectTimeout }: AgentOptions): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('undici')
  return new Agent({
    connections: 256,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options: buildConnector.Options, callback: buildConnector.Callback) {
      allowedAddresses(options.hostname, isAllowed, resolve).then(
        (addresses) => {
          const connect = buildConnector({
            timeout: connectTimeout,
            allowH2: false,
            // Node asks this instead of the resolver; a literal address it does not ask at all.
            lookup: (_hostname, { all }, done) => {
              if (all) return done(null, addresses)
              const [first] = addresses
              return done(null, first?.address ?? '', first?.family)
            },
          })
          connect(options, callback)
        },
        (error: Error) => callback(error, null),
      )
    },
  })
}

/** The agent, made when the first attempt asks for it: who sends no webhooks does not carry the client. */
export interface LazyAgent {
  get(): Promise<Dispatcher>
  close(): Promise<void>
}

export function createAgent(options: AgentOptions): LazyAgent {
  let agent: Promise<Dispatcher> | undefined
  return {
    get() {
      agent ??= openAgent(options)
      return agent
    },
    close: async () => (await agent)?.close(),
  }
}
