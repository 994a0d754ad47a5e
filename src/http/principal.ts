import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { type Flags, type Module, type PlanBook, requireModule } from '../core/plans.ts'
import type { Role } from '../db/tables/tables.ts'

/** The callers that a route accepts. Each is a line in the table of `docs/security.md` and a case of the suite over all routes. */
export type Access =
  /** Every caller. */
  | 'public'
  /** The holder of a session cookie; the session belongs to an account, not to an organization. */
  | 'session'
  /** A JWT or an API key of an organization, of either role. */
  | 'member'
  /** As `member`, with the role administrator. */
  | 'administrator'
  /** The operator: the metrics token, or a request from this machine. */
  | 'operator'
  /** A caller with OPERATOR_TOKEN; where none is set there is no such route. */
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

/** The caller of a request. */
export type Principal =
  | { kind: 'nobody' }
  | { kind: 'operator' }
  | { kind: 'installation' }
  | {
      kind: 'session'
      accountId: Id<'account'>
      sessionId: Id<'session'>
      /** Oldest first. */
      memberships: { organization_id: Id<'organization'>; role: Role; disabled_at: Millis | null }[]
    }
  | ({ kind: 'account'; accountId: Id<'account'>; sessionId: Id<'session'> } & Caller)
  | ({ kind: 'apiKey'; expiresAt: Millis | null } & Caller)

/**
 * Finds the caller of a route of the given access.
 * @throws ApiError UNAUTHORIZED when the credentials that the route asks for are missing or not good
 */
export type Authenticator = (request: FastifyRequest, access: Access) => Promise<Principal>

/** What a route asks of its caller. */
interface Entry {
  access?: Access | undefined
  /** The module of a plan that it belongs to. */
  module?: Module | undefined
}

/**
 * Whether a principal may call a route, asked when a request comes and, of a long answer, again while it lasts.
 * @throws ApiError FORBIDDEN when its role is too low, MODULE_NOT_ENABLED when its organization lacks the module
 */
export function admit(principal: Principal, { access, module }: Entry, book: PlanBook): void {
  if (access === 'administrator' && callerOf({ principal }).role !== 'administrator')
    throw new ApiError('FORBIDDEN', { reason: 'administrator_required' })
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

/** Checks whether the rights that a long answer began with still hold. */
export interface RightsCheck {
  /**
   * The present caller of a request; undefined once the request would be refused: its credential has ended, its role is too low
   * for the route, or the route's module is off.
   */
  whoNow(request: FastifyRequest, now: Millis): Promise<Principal | undefined>
  /** When its credential ends by itself; undefined where that is not known beforehand. */
  endOf(request: FastifyRequest): Millis | undefined
  /** Calls `then`, the only one, when rights have ended or changed, here or in another process. */
  onChange(then: () => void): void
}
