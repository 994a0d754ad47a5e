import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, OAuthClient } from 'oidc-provider'
import { SECOND } from '../../core/clock.ts'
import { addressRule } from '../../net/address.ts'
import { type Agent, createAgent } from '../../net/agent.ts'
import { createApiFetch } from '../../net/api-fetch.ts'
import { withoutScope } from './client-rules.ts'
import type { AuthorizationDeps } from './deps.ts'
import type { BuiltProvider } from './provider.ts'

/** A request to the authorization server. */
interface Asked {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  payload?: string | undefined
}

interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** The authorization server: `oidc-provider`, loaded by the first request that needs it. */
export interface AuthorizationServer {
  ask(request: FastifyRequest, asked: Asked): Promise<Answered>
  /** The pending consent of this browser; undefined without one. */
  interactionOf(request: FastifyRequest, reply: FastifyReply): Promise<Interaction | undefined>
  /** Stores the person's decision. @returns the URL at which the browser continues */
  decide(request: FastifyRequest, reply: FastifyReply, result: object): Promise<string>
  /** A client that may send requests; undefined for an unknown id. */
  findClient(id: string): Promise<OAuthClient | undefined>
  close(): Promise<void>
}

/** Longest client metadata document, in characters. */
const LONGEST_DOCUMENT = 5 * 1024

/** The deadline of a request for a client metadata document. */
const DOCUMENT_DEADLINE = 3 * SECOND

export function createAuthorizationServer(deps: AuthorizationDeps): AuthorizationServer {
  const { clock, keys, resolve } = deps
  // The server's own address replaces that of the request.
  const { host, protocol, pathname } = new URL(deps.config.web.baseUrl)
  const root = pathname.replace(/\/$/, '')
  const place = { host, 'x-forwarded-proto': protocol.slice(0, -1) }
  let built: { kid: string; provider: Promise<BuiltProvider> } | undefined
  let agent: Agent | undefined

  /** An instance signs with one key, so a new key requires a new instance. */
  async function current(): Promise<BuiltProvider> {
    const signer = await keys.signer(clock.now())
    if (built?.kid === signer.kid) return built.provider
    const provider = import('./provider.ts').then(({ buildProvider }) =>
      buildProvider(deps, { signer, fetch: fetchDocument }),
    )
    const mine = { kid: signer.kid, provider }
    built = mine
    provider.catch(() => {
      if (built === mine) built = undefined
    })
    return provider
  }

  /** Fetches an address that a stranger has named. Private addresses are refused, except for networks of the operator's setting. */
  async function fetchDocument(url: string, { headers }: { headers: Headers }): Promise<Response> {
    const { allowedNetworks } = deps.config.access.oauth
    const isAllowed = addressRule(allowedNetworks, 'OAUTH_ALLOWED_NETWORKS')
    agent ??= createAgent({ isAllowed, resolve })
    const load = createApiFetch({ clock, agent, deadline: DOCUMENT_DEADLINE, owner: new URL(url).host })
    const answer = await load(url, { headers: Object.fromEntries(headers) })
    const text = await answer.text()
    if (answer.status !== 200 || text.length > LONGEST_DOCUMENT) return new Response(null, { status: 502 })
    const cache = answer.headers.get('cache-control')
    return new Response(withoutScope(text), { headers: cache === null ? {} : { 'cache-control': cache } })
  }

  return {
    async ask(request, asked) {
      const { serve } = await current()
      const { inject } = await import('light-my-request')
      const { payload, ...head } = asked
      const answer = await inject(
        (req, res) => {
          // A proxy may serve it below the path of `BASE_URL`.
          Object.assign(req, { originalUrl: `${root}${head.url}` })
          serve(request, req as never, res as never)
        },
        {
          ...head,
          headers: { ...head.headers, ...place },
          remoteAddress: request.ip,
          ...(payload === undefined ? {} : { payload }),
        },
      )
      return {
        status: answer.statusCode,
        headers: answer.headers as Answered['headers'],
        body: answer.payload,
      }
    },
    async interactionOf(request, reply) {
      const { provider } = await current()
      return provider.interactionDetails(request.raw, reply.raw).catch((error: { error?: string }) => {
        if (error.error === 'invalid_request') return undefined
        throw error
      })
    },
    async decide(request, reply, result) {
      const { provider } = await current()
      return provider.interactionResult(request.raw, reply.raw, result)
    },
    async findClient(id) {
      const { provider } = await current()
      return provider.Client.find(id)
    },
    async close() {
      await agent?.close()
    },
  }
}
