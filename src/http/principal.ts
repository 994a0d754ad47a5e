import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { type Flags, type Module, type PlanBook, requireModule } from '../core/plans.ts'
import type { Role } from '../db/tables/tables.ts'

/** Who may call a route. Each is a line in the table of `docs/security.md` and a case of the suite over all routes. */
export type Access =
  /** Anybody. */
  | 'public'
  /** The holder of a session cookie; the session belongs to an account, not to an organization. */
  | 'session'
  /** A JWT or an API key of an organization, of either role. */
  | 'member'
  /** As `member`, with the role administrator. */
  | 'administrator'
  /** Whoever runs this server: the metrics token, or a request from this machine. */
  | 'operator'
  /** Whoever shows OPERATOR_TOKEN; where none is set there is no such route. */
  | 'installation'

interface Caller {
  /** The account or the API key; stands in the audit log. */
  actorId: Id<'account'> | Id<'apiKey'>
  organizationId: Id<'organization'>
  role: Role
  /** A name of the plan book. */
  plan: string
  flags: Flags
}

/** Who is calling. */
export type Principal =
  | { kind: 'nobody' }
  | { kind: 'operator' }
  | { kind: 'installation' }
  | {
      kind: 'session'
      accountId: Id<'account'>
      sessionId: Id<'session'>
      /** Oldest first. */
      memberships: { organization_id: Id<'organization'>; role: Role }[]
    }
  | ({ kind: 'account'; accountId: Id<'account'>; sessionId: Id<'session'> } & Caller)
  | ({ kind: 'apiKey' } & Caller)

/**
 * Finds out who is calling a route of the given access.
 * @throws ApiError UNAUTHORIZED when the credentials that the route asks for are missing or not good
 */
export type Authenticator = (request: FastifyRequest, access: Access) => Promise<Principal>

/** @throws ApiError FORBIDDEN when the principal's role is too low for the route */
export function allowed(principal: Principal, access: Access): void {
  if (access !== 'administrator') return
  if (callerOf({ principal }).role !== 'administrator')
    throw new ApiError('FORBIDDEN', { reason: 'administrator_required' })
}

/** @throws ApiError MODULE_NOT_ENABLED when the caller's organization lacks the module that the route belongs to */
export function enabled(principal: Principal, module: Module | undefined, book: PlanBook): void {
  if (module === undefined) return
  const { plan, flags } = callerOf({ principal })
  requireModule(book, plan, flags, module)
}

/**
 * The caller of a `member` or `administrator` route.
 * @throws ApiError UNAUTHORIZED
 */
export function callerOf({ principal }: { principal: Principal }): Extract<Principal, Caller> {
  if (principal.kind === 'account' || principal.kind === 'apiKey') return principal
  throw new ApiError('UNAUTHORIZED', {})
}

/**
 * The session of a `session` route.
 * @throws ApiError UNAUTHORIZED
 */
export function sessionOf({ principal }: { principal: Principal }): Extract<Principal, { kind: 'session' }> {
  if (principal.kind === 'session') return principal
  throw new ApiError('UNAUTHORIZED', {})
}

/** Whether what a long answer was begun with still holds. */
export interface Standing {
  /** Who the caller of a request is by now; undefined once its credential is nobody's. */
  whoNow(request: FastifyRequest, now: Millis): Promise<Principal | undefined>
  /** When its credential ends by itself; undefined where that is not known beforehand. */
  endOf(request: FastifyRequest): Millis | undefined
  /** Calls `then`, the only one, when rights have ended or changed, here or in another process. */
  onChange(then: () => void): void
}
