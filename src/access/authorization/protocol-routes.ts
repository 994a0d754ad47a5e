import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from '../../http/server.ts'
import { audienceOf, GRANTABLE, readResource } from '../resources.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { withoutScope } from './client-rules.ts'
import type { AuthorizationDeps } from './deps.ts'
import { FORM, takeForms } from './forms.ts'
import { PATHS } from './paths.ts'

/** Headers of an answer that are forwarded; Postern sets all others. */
const KEPT = ['content-type', 'cache-control', 'pragma', 'location', 'www-authenticate', 'allow']

/** Headers of a request that are passed on. Of the cookies, only those of the authorization server itself. */
const PASSED_ON = ['authorization', 'content-type'] as const

const COOKIES = /^(?:__Host-)?oauth_(?:request|resume)(?:\.sig)?$/

const SEVERAL_RESOURCES = 'urn:several-resources'

/** The OAuth 2.1 endpoints for clients and browsers. Their errors follow RFC 6749, not the catalogue, because OAuth clients expect them. */
export function protocolRoutes(
  server: Server,
  deps: Pick<AuthorizationDeps, 'config' | 'mcpScopes'>,
  authorization: AuthorizationServer,
): void {
  const { baseUrl } = deps.config.web
  const hidden = { schema: { hide: true } }
  void server.register(async (scope) => {
    takeForms(scope)
    const browser = { config: { access: 'public' as const, rates: ['authorizePerIp'] as const }, ...hidden }
    scope.get(PATHS.authorization, browser, (request, reply) => pass(request, reply, authorizeQuery))
    scope.get(`${PATHS.authorization}/:uid`, browser, (request, reply) => pass(request, reply))
    // Clients call these routes without a cookie, so the origin of a request does not matter.
    const client = { config: { access: 'public' as const, crossSite: true, anyOrigin: true }, ...hidden }
    scope.post(PATHS.token, client, (request, reply) => pass(request, reply))
    scope.post(PATHS.revocation, client, (request, reply) => pass(request, reply))
    if (deps.config.access.oauth.deviceFlow) {
      // Pages may not start a device flow, because the person would see the visitor's own address as that of the device.
      const asking = { access: 'public' as const, rates: ['askDevicePerIp'] as const }
      scope.post(PATHS.device_authorization, { config: asking, ...hidden }, (request, reply) =>
        pass(request, reply),
      )
    }
    if (!deps.config.access.oauth.registration) return
    const registering = { ...client.config, rates: ['registerClientPerIp'] as const }
    scope.post(PATHS.registration, { config: registering, ...hidden }, (request, reply) =>
      pass(request, reply),
    )
  })

  async function pass(
    request: FastifyRequest,
    reply: FastifyReply,
    change: (query: URLSearchParams) => void = () => {},
  ) {
    const [path = '', search = ''] = request.url.split('?', 2)
    const query = new URLSearchParams(search)
    nameResource(query)
    change(query)
    const isBrowser = path.startsWith(PATHS.authorization)
    const answer = await authorization.ask(request, {
      method: request.method as 'GET' | 'POST',
      url: query.size === 0 ? path : `${path}?${query}`,
      headers: {
        ...Object.fromEntries(PASSED_ON.flatMap((name) => headerOf(request, name))),
        ...(isBrowser ? { cookie: ownCookies(request) } : {}),
        accept: isBrowser ? 'text/html' : 'application/json',
      },
      payload: bodyOf(request),
    })
    void reply.code(answer.status)
    for (const name of KEPT) {
      const value = answer.headers[name]
      if (value !== undefined) void reply.header(name, value)
    }
    const cookies = [answer.headers['set-cookie'] ?? []].flat()
    // The session cookie of `oidc-provider` is removed, because it stores no session.
    for (const cookie of cookies)
      if (!cookie.startsWith('oauth_session')) void reply.header('set-cookie', cookie)
    const isRedirect = answer.status >= 300 && answer.status < 400
    if (isRedirect) void reply.removeHeader('content-type')
    return reply.serializer((text: string) => text).send(isRedirect ? '' : answer.body)
  }

  /** Adds `prompt=consent`, which `offline_access` requires (OpenID Connect Core 11), because consent is always requested. */
  function authorizeQuery(query: URLSearchParams): void {
    const prompts = (query.get('prompt') ?? '').split(' ').filter(Boolean)
    if (!prompts.includes('none') && !prompts.includes('consent'))
      query.set('prompt', [...prompts, 'consent'].join(' '))
    nameScopes(query)
  }

  /** A request without scopes gets all scopes of the resource (RFC 6749 3.3), from which the person chooses. */
  function nameScopes(parameters: URLSearchParams): void {
    if ((parameters.get('scope') ?? '') !== '') return
    const isMcp = parameters.get('resource') === audienceOf(baseUrl, 'mcp')
    parameters.set('scope', (isMcp ? deps.mcpScopes() : GRANTABLE).join(' '))
  }

  /** The form or JSON as received, with a normalised resource. */
  function bodyOf({ method, url, body, headers }: FastifyRequest): string | undefined {
    if (method !== 'POST' || body === undefined) return undefined
    if (typeof body !== 'string') return withoutScope(JSON.stringify(body))
    if (!headers['content-type']?.startsWith(FORM)) return body
    const form = new URLSearchParams(body)
    nameResource(form)
    if (url.startsWith(PATHS.device_authorization)) nameScopes(form)
    return form.toString()
  }

  function nameResource(parameters: URLSearchParams): void {
    const named = parameters.getAll('resource')
    if (named.length === 0) return
    const asked = new Set(
      named.map((one) => {
        const resource = readResource(baseUrl, one)
        return resource === undefined ? one : audienceOf(baseUrl, resource)
      }),
    )
    // A grant is for one resource, so several are refused like an unknown one.
    parameters.set('resource', asked.size === 1 ? ([...asked][0] as string) : SEVERAL_RESOURCES)
  }
}

function ownCookies({ cookies }: FastifyRequest): string {
  return Object.entries(cookies)
    .filter(([name]) => COOKIES.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}

function headerOf({ headers }: FastifyRequest, name: (typeof PASSED_ON)[number]): [string, string][] {
  const value = headers[name]
  return value === undefined ? [] : [[name, value]]
}
