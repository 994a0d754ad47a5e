import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import cookie from '@fastify/cookie'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { type Clock, type Millis, stopwatch } from '../core/clock.ts'
import { runForOwner } from '../core/context.ts'
import { ApiError, type ErrorCode } from '../core/errors.ts'
import { newId } from '../core/id.ts'
import { SIZE } from '../core/limits.ts'
import type { LoopTurns } from '../core/loop-turns.ts'
import type { PlanBook } from '../core/plans.ts'
import type { Standby } from '../db/database.ts'
import type { Spans } from '../telemetry/telemetry.ts'
import { limitBodyMemory } from './body-memory.ts'
import { refuseCrossSite } from './cross-site.ts'
import { rawAnswer, sendError, type UnknownPage, unknownPath } from './error-response.ts'
import { dropForwardedPorts } from './forwarded-for.ts'
import { answerClientErrors, requireHostHeader } from './framework-errors.ts'
import { takeJsonBodies } from './json-body.ts'
import { createKnownPaths } from './known-paths.ts'
import type { Permission } from './permissions.ts'
import { type Access, type Authenticator, admit, callerOf, mustHave, type Principal } from './principal.ts'
import { type Limiter, limitRequest, limitStranger, type RouteRates, shareOwnerOf } from './rate-limit.ts'
import { logRefusal, logRequest, type Refused } from './request-log.ts'
import { beginRequestSpan, endRequestSpan, type RequestSpan } from './request-span.ts'
import { serializerCompiler } from './schema/serializer.ts'
import { validatorCompiler } from './schema/validation.ts'
import { isScim, type ScimError } from './scim-error.ts'
import { AS_OF, answerFromStandby, isPagedList } from './standby-lists.ts'
import { asksForStepUp } from './step-up.ts'

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** The time of the request, read once. */
    now: Millis
    principal: Principal
    elapsed: () => number
    /** undefined: the request is not traced. */
    span: RequestSpan | undefined
    /** The code of the error with which the request was answered. */
    errorCode: ErrorCode | undefined
    /** The error in the form of SCIM, for its clients. */
    scimError: ScimError | undefined
  }
  interface FastifyContextConfig {
    /** The callers of the route; a route without it is refused at registration. */
    access?: Access
    /** Further permissions that the route requires where the query or body has these members. */
    also?: Readonly<Record<string, Permission>>
    /** Rate limits in addition to the general one. */
    rates?: RouteRates
    /** Whether those replace the general one. */
    ownRate?: boolean
    /**
     * Whether the route runs once per Idempotency-Key: its handler uses `once`, and the document mentions the header.
     */
    once?: boolean
    /** Whether the route requires a second factor of the last ten minutes; `step-up.ts` lists permissions that do. */
    stepUp?: true
    /** Whether sessions that an organization's identity provider began may call the route; all other sessions may. */
    ofOrganization?: true
    /** Whether browsers on other sites may call the route without CORS; for machines that send no `Origin`. */
    crossSite?: boolean
    /**
     * Whether scripts of every site may call the route, without cookies: for routes that take a token or code, or are
     * public.
     */
    anyOrigin?: boolean
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
  /** Refuses a person whose session has no recent second factor. */
  mustHaveSteppedUp: (request: FastifyRequest) => Promise<void>
  /** Turns of the event loop, shared among organizations. */
  turns: LoopTurns<string>
  plans: PlanBook
  /** Whether the process is stopping: a connection then serves only its current request. */
  isStopping: () => boolean
  /** Answers a browser at an unknown address with a page; undefined: every client gets the error. */
  unknownPage?: UnknownPage | undefined
  /** Answers lists of programs; undefined: the database has no standby. */
  standby: Standby | undefined
  /** Receives the spans of requests; undefined: requests are not traced. */
  spans?: Spans | undefined
  /** Called after every request. */
  onFinished: (route: string, method: string, status: number, durationMs: number) => void
  /** Called after every answer to a client of SCIM, also at a path that there is not. */
  onScimAnswered: (request: FastifyRequest, reply: FastifyReply, durationMs: number) => void
}

/** A client's own request id is used if it has this form (decisions: conventions). */
const REQUEST_ID = /^[A-Za-z0-9_-]{8,128}$/

/** Headers of every answer, unless the route sets others. */
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
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/** Headers that scripts of other origins may read. */
const EXPOSED = [
  ...['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed', 'Location'],
  'WWW-Authenticate',
  AS_OF,
]

/**
 * Creates the HTTP server without routes. A request passes, in this order: id and moment → origin → principal → turn →
 * rate limit → schema → handler → answer; each step is a named function.
 */
export function createServer(options: ServerOptions): Server {
  const { clock, limiter, authenticate, spans } = options
  const headersOfAll = options.baseUrl.startsWith('https:') ? { ...HEADERS, ...HTTPS_ONLY } : HEADERS
  const paths = createKnownPaths()
  /** Paths without parameters that scripts of every site may call. */
  const open = new Set<string>()
  const requestIdOf = (headers: IncomingHttpHeaders) => {
    const given = headers['x-request-id']
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('request', clock.now())
  }
  /** Logs and counts a request that reached no route, and so no hook. */
  const report = (request: Refused, status: number, code: ErrorCode | undefined) => {
    options.onFinished('(unknown)', request.method ?? '(unreadable)', status, 0)
    logRefusal(options.log, request, status, code)
  }
  const server: Server = fastify({
    // Fastify's own lines below warning repeat ours.
    loggerInstance: options.log.child({}, { level: quieter(options.log.level) }),
    childLoggerFactory: (_own, bindings, childOptions) => options.log.child(bindings, childOptions),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    bodyLimit: SIZE.body,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    // Our own compilers: Fastify's would be loaded for nothing.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => serializerCompiler as never,
      },
    },
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    // Requests on open connections are answered normally while the server stops, `/readyz` above all.
    return503OnClosing: false,
    requestTimeout: 60_000,
    http: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 20_000,
      connectionsCheckingInterval: 2_000,
      // `requireHostHeader` answers with a code of the catalogue.
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => {
      request.now = clock.now()
      void reply.header('x-request-id', request.id).headers(headersOfAll)
      sendError(error, request, reply, options)
      report(request, reply.statusCode, request.errorCode)
    },
    // `answerClientErrors` handles the event.
    clientErrorHandler() {},
  }).withTypeProvider<TypeBoxTypeProvider>() as Server

  answerClientErrors(server.server, clock, (error, { headers, method, url }, { remoteAddress }) => {
    const id = requestIdOf(headers ?? {})
    report({ id, method, url, ip: remoteAddress }, error.status, error.code)
    return rawAnswer(error, id, headersOfAll, options.baseUrl)
  })
  takeJsonBodies(server, options.turns)
  limitBodyMemory(server)
  server.decorateRequest('now', 0)
  // Declared for the shape of the object only; the first hook sets the values.
  server.decorateRequest('principal')
  server.decorateRequest('elapsed')
  server.decorateRequest('span')
  server.decorateRequest('errorCode')
  server.decorateRequest('scimError')
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, options))
  // The hook below refuses unknown paths; this handles a route's own call of `callNotFound`.
  server.setNotFoundHandler(async (request) => {
    throw unknownPath(request)
  })

  server.addHook('onRoute', (route) => {
    if (route.config?.access === undefined && route.method !== 'OPTIONS') {
      throw new Error(`${String(route.method)} ${route.url} does not say who may call it`)
    }
    paths.add(route.url, route.method)
    if (route.config?.anyOrigin) open.add(route.url)
    const { handler } = route
    const standby = isPagedList(route) ? options.standby : undefined
    const also = Object.entries(route.config?.also ?? {})
    route.handler = function (request, reply) {
      for (const [member, permission] of also)
        if (isGiven(request, member)) mustHave(callerOf(request), permission)
      const own = () => handler.call(this, request, reply)
      const work = standby === undefined ? own : () => answerFromStandby(request, reply, standby, own)
      const answer = () => runForOwner(shareOwnerOf(request), work, { cause: request.span })
      const { principal } = request
      if (principal.kind !== 'platformKey' || principal.make === undefined) return answer()
      // After all permission checks: a request that is refused before its handler creates no organization.
      return runForOwner(shareOwnerOf(request), principal.make).then((made) => {
        request.principal = made
        return answer()
      })
    }
  })
  server.addHook('onRequest', (request, reply, done) => {
    request.now = clock.now()
    request.elapsed = stopwatch()
    if (spans !== undefined) request.span = beginRequestSpan(spans, request)
    // Before the address of the request is read.
    dropForwardedPorts(request.raw.headers)
    reply.header('x-request-id', request.id).headers(headersOfAll)
    done()
  })
  void server.register(cookie)
  const shared = { exposedHeaders: EXPOSED, maxAge: 600, strictPreflight: false }
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const ours = { ...shared, methods, origin: options.allowedOrigins, credentials: true }
  const everybodys = { ...shared, methods: ['GET', 'POST'], origin: '*', credentials: false }
  void server.register(cors, {
    delegator: ({ url }: FastifyRequest, done: (error: null, chosen: FastifyCorsOptions) => void) =>
      done(null, open.has(url.split('?', 1)[0] ?? '') ? everybodys : ours),
  })
  server.addHook('onRequest', async (request, reply) => {
    requireHostHeader(request.raw)
    const path = request.url.split('?', 1)[0] ?? ''
    const { config, url } = request.routeOptions
    if (request.is404 || (url !== undefined && paths.isShadowed(path, url))) {
      await limitStranger(request, limiter)
      throw unknownPath(request, paths.methodsOf(path))
    }
    const { access = 'installation', crossSite } = config
    if (!crossSite) refuseCrossSite(request, access, options.allowedOrigins)
    request.principal = await authenticate(request, access).catch(async (error) => {
      // Credentials that could not be checked, because the database is unavailable or busy, do not count as guesses.
      if (error instanceof ApiError) await limitStranger(request, limiter)
      throw error
    })
    const owner = shareOwnerOf(request)
    if ('organizationId' in request.principal && owner !== undefined) await options.turns.enter(owner)
    await runForOwner(owner, () => limitRequest(request, reply, limiter, options.plans))
    admit(request.principal, access, options.plans)
    if (asksForStepUp(config)) await options.mustHaveSteppedUp(request)
  })
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.header('connection', 'close')
    done(null, payload)
  })
  server.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? '(unknown)' : (request.routeOptions.url ?? '(unknown)')
    const durationMs = request.elapsed?.() ?? 0
    options.onFinished(route, request.method, reply.statusCode, durationMs)
    logRequest(request, route, reply.statusCode, durationMs)
    if (isScim(request.url)) options.onScimAnswered(request, reply, durationMs)
    if (spans !== undefined) endRequestSpan(spans, request, { route, status: reply.statusCode, durationMs })
  })
  return server
}

/** Whether the query or body of a request has a member. */
function isGiven({ query, body }: FastifyRequest, member: string): boolean {
  const given = [query, body].map((one) => (one as Record<string, unknown> | null | undefined)?.[member])
  return given.some(
    (value) => value !== undefined && value !== null && value !== false && String(value) !== '',
  )
}

/** The level of a logger that logs warnings and errors only. */
function quieter(level: string): string {
  return level === 'error' || level === 'silent' ? level : 'warn'
}

/** The address on which a server listens. */
export function addressOf({ server }: Server): string {
  const { family, address, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
