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

/**
 * The callers that a route accepts. Each kind is a row of a table in `docs/security.md` and a case of the suite over
 * all routes.
 */
export type Access =
  /** Every caller. */
  | 'public'
  /** A session cookie; the session belongs to an account, not to an organization. */
  | 'session'
  /** Any JWT or API key of an organization. */
  | 'caller'
  /** A JWT or an API key with this permission. */
  | Permission
  /** The operator: the metrics token, or a request from this machine. */
  | 'operator'
  /** A caller with OPERATOR_TOKEN; without that setting these routes are not registered. */
  | 'installation'

type Rights = Pick<Caller, 'role' | 'permissions' | 'plan' | 'flags'>

export interface Caller {
  /**
   * The account, the service account of the API key, or the platform key: the actor in the audit log and the owner of
   * what the caller creates.
   */
  actorId: Id<'account'> | Id<'serviceAccount'> | Id<'platformKey'>
  /** The API key of the request; null for a person or a platform key. */
  keyId: Id<'apiKey'> | null
  organizationId: Id<'organization'>
  /** The external id of the organization. */
  externalId: string | null
  role: RoleName
  /** The permissions of the role, narrowed by the scopes of an API key. */
  permissions: Permissions
  /** A name of the plan book. */
  plan: string
  flags: Flags
}

/** A membership that a session may use. */
export interface SessionMembership extends HeldRole {
  organization_id: Id<'organization'>
  disabled_at: Millis | null
  /** When an administrator of the organization ended the session there; null: not ended. */
  ended_at: Millis | null
  /** When the organization starts to require a second factor; null: never. */
  second_factor_from: Millis | null
  /** How long a member has to add a factor after that moment or after joining; null: no time. */
  second_factor_grace: Millis | null
  joined_at: Millis
  /** Since when the organization requires sign-in by its identity provider; null: not required. */
  sign_in_required_at: Millis | null
  /** Since when the member is exempt from that requirement; null: not exempt. */
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
      /** The number of second factors of the account. */
      secondFactors: number
      /** Whether the session has passed a second factor, here or at the organization's identity provider. */
      hasShownFactor: boolean
      /**
       * The organization's identity provider that began the session, which then opens that organization alone; null:
       * the person's own sign-in.
       */
      identityProviderId: Id<'identityProvider'> | null
      /** Oldest first. */
      memberships: SessionMembership[]
    }
  | ({ kind: 'account'; accountId: Id<'account'>; sessionId: Id<'session'> } & Caller)
  | ({
      kind: 'grant'
      accountId: Id<'account'>
      /** The grant of the person to the client that sends the request. */
      grantId: Id<'grant'>
      expiresAt: Millis
      /** The permissions of the person; the grant narrows them. */
      ofRole: Permissions
    } & Caller)
  | ({
      kind: 'platformKey'
      actorId: Id<'platformKey'>
      /** The hash of the secret in the request. */
      keyHash: string
      expiresAt: Millis | null
      /**
       * Creates the organization that the request names, which this principal describes but the store does not have;
       * undefined where it exists.
       */
      make?: () => Promise<Principal>
    } & Caller)
  | ({
      kind: 'apiKey'
      keyId: Id<'apiKey'>
      /** The hash of the secret in the request. */
      keyHash: string
      /** When the key or the secret of the request expires, whichever is first; null: never. */
      expiresAt: Millis | null
      /** The allowed networks; null: any. */
      addresses: Networks | null
    } & Caller)

/**
 * Finds the caller of a route with the given access.
 * @throws ApiError UNAUTHORIZED for missing or invalid credentials
 */
export type Authenticator = (request: FastifyRequest, access: Access) => Promise<Principal>

/**
 * Checks that a principal may call a route, at the start of a request and again during a long answer.
 * @throws ApiError UNAUTHORIZED, and as `mustBePermitted`
 */
export function admit(principal: Principal, access: Access | undefined, book: PlanBook): void {
  if (access !== undefined && isPermission(access)) mustBePermitted(callerOf({ principal }), access, book)
}

/**
 * @throws ApiError FORBIDDEN where the caller lacks the permission, MODULE_NOT_ENABLED where its organization lacks the
 * module
 */
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
 * Checks a permission that the contents of a request require beside that of the route.
 * @throws ApiError FORBIDDEN
 */
export function mustHave(
  { role, permissions, ofRole }: Pick<Caller, 'role' | 'permissions'> & { ofRole?: Permissions },
  permission: Permission,
): void {
  if (!permissions.has(permission)) throw lackOf(role, permission, ofRole)
}

/**
 * The caller of a route in an organization.
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

/** Checks whether the rights at the start of a long answer still hold. */
export interface RightsCheck {
  /**
   * The current caller of a request; undefined once the request would be refused: its credential has ended, or it lacks
   * the route's permission or module.
   */
  whoNow(request: FastifyRequest, now: Millis): Promise<Principal | undefined>
  /** When the credential expires; undefined where that is not known. */
  endOf(request: FastifyRequest): Millis | undefined
  /** Sets the one listener for changed or ended rights, in this or another process. */
  onChange(then: () => void): void
}
