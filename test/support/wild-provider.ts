import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { close, json } from './http-server.ts'

export type Endpoint = 'token' | 'revoke' | 'api'
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
) => void | Promise<void>

/** A hand-written provider of connections that a test controls. */
export interface WildProvider {
  origin: string
  host: string
  /** Answers in the place of an endpoint. */
  instead: Partial<Record<Endpoint, Handler>>
  /** Added to, or taken from, a good answer of the token endpoint. */
  grant: Record<string, unknown>
  /** Which endpoints were asked, in order. */
  asked: Endpoint[]
  /** The forms of all token requests. */
  forms: URLSearchParams[]
  /** Refresh tokens that were used again after they had been replaced. */
  reused: string[]
  /** Tokens that were given back to it. */
  givenBack: string[]
  /** Tokens that open its API. */
  live: Set<string>
  /** The calls that its API got. */
  calls: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[]
  /** Path and query of the callback, without asking the person. */
  authorize(authUrl: string, more?: Record<string, string>): string
  stop(): Promise<void>
}

/** Its answer to a valid token request. */
export async function startWildProvider(): Promise<WildProvider> {
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `localhost:${(server.address() as AddressInfo).port}`
  const current = new Set<string>()
  let issued = 0

  const provider: WildProvider = {
    origin: `http://${host}`,
    host,
    instead: {},
    grant: {},
    asked: [],
    forms: [],
    reused: [],
    givenBack: [],
    live: new Set(),
    calls: [],
    authorize(authUrl, more = {}) {
      const { searchParams } = new URL(authUrl)
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({
        code: crypto.randomUUID(),
        state: searchParams.get('state') ?? '',
        ...more,
      }).toString()
      return back.pathname + back.search
    },
    stop: () => close(server),
  }

  const handlers: Record<Endpoint, Handler> = {
    token(_request, response) {
      const form = provider.forms.at(-1) ?? new URLSearchParams()
      if (form.get('grant_type') === 'refresh_token') {
        const shown = form.get('refresh_token') ?? ''
        if (!current.delete(shown)) {
          provider.reused.push(shown)
          return json(response, { error: 'invalid_grant' }, 400)
        }
      }
      issued += 1
      const answer: Record<string, unknown> = {
        access_token: `access-${issued}-${crypto.randomUUID()}`,
        refresh_token: `refresh-${issued}-${crypto.randomUUID()}`,
        token_type: 'Bearer',
        expires_in: 3_600,
        ...provider.grant,
      }
      if (typeof answer.refresh_token === 'string') current.add(answer.refresh_token)
      provider.live.add(String(answer.access_token))
      json(response, answer)
    },
    revoke(_request, response, body) {
      provider.givenBack.push(new URLSearchParams(body.toString()).get('token') ?? '')
      response.end()
    },
    api(request, response) {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      if (!provider.live.has(token)) return json(response, { message: 'bad credentials' }, 401)
      json(response, { hello: 'world' })
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = request.url ?? ''
    const endpoint = url === '/token' ? 'token' : url === '/revoke' ? 'revoke' : 'api'
    provider.asked.push(endpoint)
    if (endpoint === 'token') provider.forms.push(new URLSearchParams(body.toString()))
    if (endpoint === 'api')
      provider.calls.push({ method: request.method ?? '', url, headers: request.headers, body })
    await (provider.instead[endpoint] ?? handlers[endpoint])(request, response, body)
  }

  return provider
}
