import type { FastifyRequest } from 'fastify'
import type { Millis } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { type Flags, hasModule, type PlanBook, planOf, requireModule } from '../core/plans.ts'
import type { Networks } from '../net/networks.ts'
import {
  type HeldRole,
  isPermission,
  lackOf,
  type Permission,
  type Permissions,
  permissionRow,
  type RoleName,
} from './permissions.ts'

/** The callers that a route accepts. Each is a line in the table of `docs/security.md` and a case of the suite over all routes. */
export type Access =
  /** Every caller. */
  | 'public'
  /** The holder of a session cookie; the session belongs to an account, not to an organization. */
  | 'session'
  /** Any JWT or API key of an organization. */
  | 'caller'
  /** A JWT or an API key that has this permission. */
  | Permission
  /** The operator: the metrics token, or a request from this machine. */
  | 'operator'
  /** A caller with OPERATOR_TOKEN; where none is set there is no such route. */
  | 'installation'

type Rights = Pick<Caller, 'role' | 'permissions' | 'plan' | 'flags'>

export interface Caller {
  /** The account, the service account of the API key, or the platform key; stands in the audit log and owns what the caller makes. */
  actorId: Id<'account'> | Id<'serviceAccount'> | Id<'platformKey'>
  /** The API key of the request; null for a person and for a platform key. */
  keyId: Id<'apiKey'> | null
  organizationId: Id<'organization'>
  /** What the platform calls that organization. */
  externalId: string | null
  role: RoleName
  /** What the role permits, and of an API key with scopes only those. */
  permissions: Permissions
  /** A name of the plan book. */
  plan: string
  flags: Flags
}

/** A membership as a session reaches it. */
export interface SessionMembership extends HeldRole {
  organization_id: Id<'organization'>
  disabled_at: Millis | null
  /** When an administrator of the organization ended the session there; null: it is good. */
  ended_at: Millis | null
  /** From when the organization requires a second factor of its members; null: it does not. */
  second_factor_from: Millis | null
  /** How long a member has to add one after that, or after joining; null: no time. */
  second_factor_grace: Millis | null
  joined_at: Millis
  /** Since when the organization requires a sign-in by its identity provider; null: it does not. */
  sign_in_required_at: Millis | null
  /** Since when the member is an exception from that; null: it is none. */
  own_sign_in_at: Millis | null
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
      /** How many second factors the account has. */
      secondFactors: number
      /** Whether the session has shown one, here or at the organization's identity provider. */
      hasShownFactor: boolean
      /** The organization's identity provider that began it: the session opens that organization alone. null: it is the person's own. */
      identityProviderId: Id<'identityProvider'> | null
      /** Oldest first. */
      memberships: SessionMembership[]
    }
  | ({ kind: 'account'; accountId: Id<'account'>; sessionId: Id<'session'> } & Caller)
  | ({
      kind: 'grant'
      accountId: Id<'account'>
      /** What the person granted to a client, which sends the request. */
      grantId: Id<'grant'>
      expiresAt: Millis
      /** What the person may do, of which the grant has a part. */
      ofRole: Permissions
    } & Caller)
  | ({
      kind: 'platformKey'
      actorId: Id<'platformKey'>
      /** Of the secret that the request has shown. */
      keyHash: string
      expiresAt: Millis | null
      /** Makes the organization that the request names; undefined where it exists. The one that stands here is not in the store. */
      make?: () => Promise<Principal>
    } & Caller)
  | ({
      kind: 'apiKey'
      keyId: Id<'apiKey'>
      /** Of the secret that the request has shown. */
      keyHash: string
      /** When the key ends, or the secret of the request, whichever is first; null: never. */
      expiresAt: Millis | null
      /** From where it may come; null: from anywhere. */
      addresses: Networks | null
    } & Caller)

/**
 * Finds the caller of a route of the given access.
 * @throws ApiError UNAUTHORIZED when the credentials that the route asks for are missing or not good
 */
export type Authenticator = (request: FastifyRequest, access: Access) => Promise<Principal>

/**
 * Checks that a principal may call a route, when a request comes and, of a long answer, again while it lasts.
 * @throws ApiError UNAUTHORIZED, FORBIDDEN and MODULE_NOT_ENABLED as `mustBePermitted` does
 */
export function admit(principal: Principal, access: Access | undefined, book: PlanBook): void {
  if (access !== undefined && isPermission(access)) mustBePermitted(callerOf({ principal }), access, book)
}

/** @throws ApiError FORBIDDEN where the caller lacks the permission, MODULE_NOT_ENABLED where its organization lacks the module */
export function mustBePermitted(caller: Rights, permission: Permission, book: PlanBook): void {
  mustHave(caller, permission)
  const { module } = permissionRow(permission)
  if (module !== undefined) requireModule(book, caller.plan, caller.flags, module)
}

/** Whether `mustBePermitted` would pass. */
export function isPermitted(caller: Rights, permission: Permission, book: PlanBook): boolean {
  const { module } = permissionRow(permission)
  if (!caller.permissions.has(permission)) return false
  return module === undefined || hasModule(planOf(book, caller.plan), caller.flags, module)
}

/**
 * Checks a permission that a route asks for beside its own, because of what the request names.
 * @throws ApiError FORBIDDEN
 */
export function mustHave(
  { role, permissions, ofRole }: Pick<Caller, 'role' | 'permissions'> & { ofRole?: Permissions },
  permission: Permission,
): void {
  if (!permissions.has(permission)) throw lackOf(role, permission, ofRole)
}

/**
 * The caller of a route of an organization.
 * @throws ApiError UNAUTHORIZED
 */
export function callerOf({ principal }: { principal: Principal }): Extract<Principal, Caller> {
  if ('organizationId' in principal) return principal
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
   * The present caller of a request; undefined once the request would be refused: its credential has ended, it lacks the
   * permission of the route, or the module of the route is off.
   */
  whoNow(request: FastifyRequest, now: Millis): Promise<Principal | undefined>
  /** When its credential ends by itself; undefined where that is not known beforehand. */
  endOf(request: FastifyRequest): Millis | undefined
  /** Calls `then`, the only one, when rights have ended or changed, here or in another process. */
  onChange(then: () => void): void
}
