import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { isSecureUrl } from '../../core/text/secure-url.ts'
import type { Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { PERMISSION_NAMES } from '../../http/permissions.ts'
import type { Caller } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { checkDestination } from '../../net/check-destination.ts'
import { holdRole, readRoleName } from '../accounts/given-role.ts'
import type { AccessDeps } from '../deps.ts'
import type { RoleRule } from './role-rules.ts'

type Row = Tables['identity_provider']

/** The tenants of Microsoft's issuers that are open to every person or every organization. */
const SHARED_TENANTS = ['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad']

/**
 * Checks an issuer before it is stored: its address must be permitted, and it must belong to one organization.
 * @throws ApiError VALIDATION_FAILED
 */
export async function checkIssuer(
  issuer: string,
  organizationId: Id<'organization'>,
  { isAllowed, resolve }: Pick<AccessDeps, 'isAllowed' | 'resolve'>,
): Promise<void> {
  const refuse = (reason: string) =>
    new ApiError('VALIDATION_FAILED', { field: 'oidc.issuer', value: issuer.slice(0, 256), reason })
  await checkDestination(issuer, organizationId, { isAllowed, resolve }, 'oidc.issuer')
  const url = new URL(issuer)
  if (!isSecureUrl(issuer)) throw refuse('not_https')
  if (/[?#]/.test(issuer)) throw refuse('not_an_issuer')
  const [tenant = ''] = url.pathname.split('/').filter((part) => part !== '')
  if (url.hostname === 'login.microsoftonline.com' && SHARED_TENANTS.includes(tenant.toLowerCase()))
    throw refuse('shared_issuer')
}

/** The settings in a request for the people of an identity provider. */
interface Asked {
  name?: string
  status?: Row['status']
  createsMemberships?: boolean
  managesRoles?: boolean
  defaultRole?: string
  roleRules?: RoleRule[]
  secondFactorValues?: string[]
  endsProviderSession?: boolean
}

/** The columns of the given members of a request. */
export function columnsOf(asked: Asked): Partial<Row> {
  const { name, status, createsMemberships, managesRoles, defaultRole, roleRules, secondFactorValues } = asked
  const { endsProviderSession } = asked
  const bit = (value: boolean) => (value ? 1 : 0)
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(status !== undefined && { status }),
    ...(createsMemberships !== undefined && { creates_memberships: bit(createsMemberships) }),
    ...(managesRoles !== undefined && { manages_roles: bit(managesRoles) }),
    ...(defaultRole !== undefined && { default_role: readRoleName(defaultRole) }),
    ...(roleRules !== undefined && {
      role_rules: JSON.stringify(roleRules.map((rule) => ({ ...rule, role: readRoleName(rule.role) }))),
    }),
    ...(secondFactorValues !== undefined && { factor_values: JSON.stringify(secondFactorValues) }),
    ...(endsProviderSession !== undefined && { ends_provider_session: bit(endsProviderSession) }),
  }
}

/**
 * Checks that a caller may change identity providers. A provider can sign in every member, also an administrator, so the caller must have
 * all permissions.
 * @returns the right of the caller
 * @throws ApiError FORBIDDEN `all_permissions_required` with the first missing one
 */
export async function mustBeAbleToVouch(tx: Tx, caller: Caller, now: number) {
  const right = await mustStillHave(tx, caller, 'sign_in:write', now)
  const scope = PERMISSION_NAMES.find((name) => !right.permissions.has(name))
  if (scope !== undefined) throw new ApiError('FORBIDDEN', { reason: 'all_permissions_required', scope })
  return right
}

/** Holds the roles that an identity provider may give. @throws ApiError ENTITY_NOT_FOUND where the organization has no such role */
export async function holdRoles(
  tx: Tx,
  organizationId: Id<'organization'>,
  roles: readonly string[],
): Promise<void> {
  for (const role of [...new Set(roles)].sort()) await holdRole(tx, organizationId, readRoleName(role))
}
