import type { IncomingMessage, ServerResponse } from 'node:http'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { type Clock, type Millis, stopwatch } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/id.ts'
import { SIZE } from '../core/limits.ts'
import type { Module, PlanBook } from '../core/plans.ts'
import { refuseCrossSite } from './cross-site.ts'
import { notFound, sendError, unreadableRequest } from './error-response.ts'
import { DOCS_PATH } from './openapi.ts'
import { type Access, type Authenticator, allowed, enabled, type Principal } from './principal.ts'
import { type Limiter, limitRequest, limitStranger, type RouteRates } from './rate-limit.ts'
import { serializerCompiler } from './serializer.ts'
import { validatorCompiler } from './validation.ts'

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** The one instant of this request: read once, passed on. */
    now: Millis
    principal: Principal
    elapsed: () => number
  }
  interface FastifyContextConfig {
    /** Who may call the route; a route that does not say so is not registered. */
    access?: Access
    /** The module of a plan that the route belongs to; only for routes of an organization's callers. */
    module?: Module
    /** Rates beyond the general one. */
    rates?: RouteRates
    /** Whether those stand in the place of the general one. */
    ownRate?: boolean
    /** Whether browsers of other sites may call it without CORS; for machines that send no `Origin`. */
    crossSite?: boolean
  }
}

export interface ServerOptions {
  baseUrl: string
  allowedOrigins: string[]
  trustProxy: string[]
  clock: Clock
  log: FastifyBaseLogger
  limiter: Limiter
  authenticate: Authenticator
  plans: PlanBook
  /** Whether the process ends: then a connection serves its request under way and no other. */
  isStopping: () => boolean
  /** Is told of every finished request. */
  onFinished: (route: string, method: string, status: number, durationMs: number) => void
}

/** A client's own request id is kept if it looks like one (decisions 1). */
const REQUEST_ID = /^[A-Za-z0-9_-]{8,128}$/

/** Query parameters whose value the log shows; any other may be a secret, or one misspelt. */
const SHOWN_QUERY = new Set(['limit', 'status', 'action', 'type', 'eventType', 'since', 'until', 'window'])

/** A request's address as it may be logged. */
function loggedPath(url: string): string {
  const [path = '', ...query] = url.split(/[?&]/)
  const shown = query.map((pair) => {
    const [name = '', value] = pair.split('=', 2)
    if (SHOWN_QUERY.has(name)) return pair
    return value === undefined ? '[redacted]' : `${name}=[redacted]`
  })
  return (shown.length === 0 ? path : `${path}?${shown.join('&')}`).slice(0, 300)
}

/** What every answer carries unless its route says otherwise. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * The HTTP server without routes. A request passes, in this order: id and moment → origin → principal →
 * rate limit → schema → handler → answer; each step is one named function.
 */
export function createServer(options: ServerOptions): Server {
  const { clock, limiter, authenticate } = options
  const isHttps = options.baseUrl.startsWith('https:')
  const server: Server = fastify({
    // Fastify's own lines below a warning say nothing that ours do not.
    loggerInstance: options.log.child({}, { level: quieter(options.log.level) }),
    childLoggerFactory: (_own, bindings, childOptions) => options.log.child(bindings, childOptions),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    bodyLimit: SIZE.body,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('request', clock.now())
    },
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    // What still arrives on an open connection while it ends is answered as ever, `/readyz` above all.
    return503OnClosing: false,
    requestTimeout: 60_000,
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 20_000 },
    frameworkErrors: (error, request, reply) => {
      request.now = clock.now()
      void reply.header('x-request-id', request.id).headers(HEADERS)
      sendError(error, request, reply, options.baseUrl)
    },
    clientErrorHandler(error, socket) {
      const id = newId('request', clock.now())
      if (socket.writable) socket.end(unreadableRequest(error.code, id, HEADERS, options.baseUrl))
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as Server

  // JSON is the body format (spec 4); Fastify would take plain text as well.
  server.removeContentTypeParser('text/plain')
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => void parseJson(request, decodeUtf8(bytes), done),
  )
  server.decorateRequest('now', 0)
  // Declared for the shape of the object only; the first hook sets them.
  server.decorateRequest('principal')
  server.decorateRequest('elapsed')
  server.setValidatorCompiler(validatorCompiler)
  server.setSerializerCompiler(serializerCompiler)
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, options.baseUrl))
  server.setNotFoundHandler(async (request) => {
    await limitStranger(request, limiter)
    return notFound(request)
  })

  server.addHook('onRoute', (route) => {
    // The page of the API's documentation brings routes of its own, which cannot say it.
    if (route.url.startsWith(DOCS_PATH)) route.config = { ...route.config, access: 'public' }
    if (route.config?.access === undefined && route.method !== 'OPTIONS') {
      throw new Error(`${String(route.method)} ${route.url} does not say who may call it`)
    }
    const { access, module } = route.config ?? {}
    if (module !== undefined && access !== 'member' && access !== 'administrator')
      throw new Error(`${String(route.method)} ${route.url} has a module, and no organization to ask for it`)
  })
  server.addHook('onRequest', (request, reply, done) => {
    request.now = clock.now()
    request.elapsed = stopwatch()
    reply.header('x-request-id', request.id).headers(HEADERS)
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    done()
  })
  void server.register(cookie)
  void server.register(cors, {
    origin: options.allowedOrigins,
    credentials: true,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
      'Location',
    ],
    maxAge: 600,
    strictPreflight: false,
  })
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) return
    const { access, module, crossSite } = request.routeOptions.config
    if (!crossSite) refuseCrossSite(request, options.allowedOrigins)
    request.principal = await authenticate(request, access ?? 'administrator').catch(async (error) => {
      await limitStranger(request, limiter)
      throw error
    })
    await limitRequest(request, reply, limiter, options.plans)
    allowed(request.principal, access ?? 'administrator')
    enabled(request.principal, module, options.plans)
  })
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.header('connection', 'close')
    done(null, payload)
  })
  server.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? '(unknown)' : (request.routeOptions.url ?? '(unknown)')
    const durationMs = request.elapsed?.() ?? 0
    options.onFinished(route, request.method, reply.statusCode, durationMs)
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request.url),
        route,
        status: reply.statusCode,
        durationMs: Math.round(durationMs * 100) / 100,
        ip: request.ip,
        ...describePrincipal(request.principal),
      },
      'request',
    )
  })
  return server
}

/** The level of a logger that says warnings at most. */
function quieter(level: string): string {
  return level === 'error' || level === 'silent' ? level : 'warn'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * RFC 8259 8.1: JSON is UTF-8. What is not would otherwise be replaced by U+FFFD, and two passwords be one.
 * @throws ApiError VALIDATION_FAILED
 */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
  }
}

/** @param principal undefined where the request ended before anybody asked who sent it */
function describePrincipal(principal: Principal | undefined): Record<string, string> {
  if (principal === undefined || principal.kind === 'nobody' || principal.kind === 'operator') return {}
  if (principal.kind === 'session') return { accountId: principal.accountId }
  return { actorId: principal.actorId, organizationId: principal.organizationId }
}
