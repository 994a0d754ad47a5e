import { sql } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { lockShared } from '../../db/locking.ts'
import { type Permission, rightsOf } from '../../http/permissions.ts'
import { isDangerous } from '../../http/step-up.ts'
import { endGrants } from '../accounts/end-grants.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import { isFactorDue } from '../accounts/required-factor.ts'
import { findDomainOwner } from '../domains/proven-domain.ts'
import { mustHaveShownFactor } from '../factors/recent-proof.ts'
import { lacksSignIn, signInRefusal } from '../sessions/required-sign-in.ts'
import { noteClientUse } from './client-store.ts'
import { type ConsentRequest, requiresNewSignIn } from './consent-request.ts'
import type { AuthorizationDeps } from './deps.ts'

/** The decision of a person. */
interface Decided {
  session: { accountId: Id<'account'>; sessionId: Id<'session'> }
  organizationId: Id<'organization'>
  asked: ConsentRequest
  /** The chosen scopes; undefined: all requested ones. */
  scopes: string[] | undefined
  /** Consumes the request. @throws ApiError ENTITY_NOT_FOUND after an earlier decision */
  use: (tx: Tx, made: Made) => Promise<void>
}

interface Made {
  id: Id<'grant'>
  /** The time of the sign-in. */
  signedInAt: Millis
  /** All granted scopes. */
  granted: string[]
}

/** The most grants of one person to one client in an organization, for several devices. */
const MOST_TO_CLIENT = 20
/** The most grants of one person in an organization. */
const MOST_OF_MEMBER = 200

/**
 * Makes a grant with the permissions that the person has in the organization. If the person has too many grants to one client, or in one
 * organization, the oldest one ends.
 * @throws ApiError UNAUTHORIZED where the session has ended; FORBIDDEN where the person is not a member, has none of the permissions, or
 * grants one that requires a recent second factor; the errors of `use`
 */
export async function makeGrant(
  { config, database, credentials }: Pick<AuthorizationDeps, 'config' | 'database' | 'credentials'>,
  trail: Trail,
  decided: Decided,
): Promise<Made> {
  const { session, organizationId } = decided
  const { client, resource, lasts, identity } = decided.asked
  const { accountId, sessionId } = session
  const { now } = trail
  return database.tx(async (tx) => {
    // The lock waits for an end of the account's access, which finds the grant or has ended the session.
    const account = await lockAccount(tx, accountId)
    const present = await tx
      .selectFrom('session')
      .select(['created_at', 'factor_at', 'identity_provider_id', 'bound_organization_id'])
      .where('id', '=', sessionId)
      .executeTakeFirst()
    if (account?.status !== 'active' || present === undefined) throw new ApiError('UNAUTHORIZED', {})
    // A session of an organization's identity provider gives access to that organization only.
    if (present.bound_organization_id !== null && present.bound_organization_id !== organizationId)
      throw new ApiError('FORBIDDEN', { reason: 'not_a_member' })
    const { held: membership, asks } = await mustBeMember(tx, decided)
    const signedIn = {
      secondFactors: account.second_factors,
      hasShownFactor: present.factor_at !== null,
      identityProviderId: present.identity_provider_id,
    }
    if (lacksSignIn(signedIn, asks)) throw signInRefusal(asks)
    if (present.identity_provider_id !== null) await mustSpeakFor(tx, account, decided)
    const isVouchedFor = present.identity_provider_id !== null && present.factor_at !== null
    if (
      account.second_factors === 0 &&
      !isVouchedFor &&
      isFactorDue(asks, config.access.secondFactorFrom, now)
    )
      throw new ApiError('FORBIDDEN', { reason: 'second_factor_required' })
    const held = rightsOf(membership).permissions
    const scopes = chosenOf(decided)
      .filter((name) => held.has(name))
      .sort()
    if (scopes.length === 0 && !identity.includes('openid'))
      throw new ApiError('FORBIDDEN', { reason: 'nothing_to_grant' })
    if (scopes.some(isDangerous)) await mustHaveShownFactor(tx, session, now)
    if (await makeRoom(tx, trail, decided)) afterCommit(tx, () => credentials.clearPeople([accountId]))
    const id = newId('grant', now)
    const made = { id, signedInAt: present.created_at, granted: [...identity, ...scopes] }
    if (requiresNewSignIn(decided.asked, { accountId, at: present.created_at }))
      throw new ApiError('FORBIDDEN', { reason: 'new_sign_in_required' })
    await decided.use(tx, made)
    await tx
      .insertInto('oauth_grant')
      .values({
        ...{
          id,
          account_id: accountId,
          organization_id: organizationId,
          session_id: lasts ? null : sessionId,
        },
        ...{ client_id: client.id, client_name: client.name, client_host: client.host, resource },
        ...{ scopes: JSON.stringify(scopes), identity_scopes: identity.join(' ') },
        ...{ created_at: now, last_used_at: null, expires_at: now + LIFETIME.grant },
        identity_provider_id: present.identity_provider_id,
        provider_factor: isVouchedFor ? 1 : 0,
      })
      .execute()
    await noteClientUse(tx, client.id, now)
    await audit(tx, trail, {
      action: 'grant.created',
      ...{ organizationId, accountId, actorId: accountId, targetId: id },
      details: {
        client: client.name,
        clientId: client.id,
        host: client.host,
        resource,
        scopes: scopes.join(' '),
      },
    })
    return made
  })
}

/**
 * Checks that the session may identify the person to other services: an organization's identity provider vouches for addresses of its
 * proven domains only.
 * @throws ApiError FORBIDDEN `own_sign_in_required`
 */
async function mustSpeakFor(
  tx: Tx,
  { email }: { email: string },
  { organizationId, asked: { identity } }: Decided,
): Promise<void> {
  if (identity.every((scope) => scope === 'offline_access')) return
  const owner = await findDomainOwner(tx, email)
  if (owner?.organization_id !== organizationId)
    throw new ApiError('FORBIDDEN', { reason: 'own_sign_in_required' })
}

function chosenOf({ asked, scopes }: Decided): Permission[] {
  return scopes === undefined ? asked.scopes : asked.scopes.filter((name) => scopes.includes(name))
}

async function mustBeMember(tx: Tx, { session, organizationId, asked: { client } }: Decided) {
  if (client.onlyFor !== null && client.onlyFor !== organizationId)
    throw new ApiError('FORBIDDEN', { reason: 'another_organization' })
  const membership = await lockShared(
    tx,
    tx
      .selectFrom('membership')
      .select(['organization_id', 'role', 'role_id', 'own_sign_in_at', 'created_at as joined_at'])
      .where('organization_id', '=', organizationId)
      .where('account_id', '=', session.accountId),
  ).executeTakeFirst()
  if (membership === undefined) throw new ApiError('FORBIDDEN', { reason: 'not_a_member' })
  const organization = await tx
    .selectFrom('organization')
    .select(['disabled_at', 'second_factor_from', 'second_factor_grace', 'sign_in_required_at'])
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (organization === undefined || organization.disabled_at !== null)
    throw new ApiError('FORBIDDEN', { reason: 'organization_disabled' })
  const excluded = await tx
    .selectFrom('session_exclusion')
    .select('session_id')
    .where('session_id', '=', session.sessionId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (excluded !== undefined) throw new ApiError('UNAUTHORIZED', {})
  // The role is not locked, because each use of the grant is limited by the role at that time.
  const role = await tx
    .selectFrom('role')
    .select('permissions')
    .where('id', '=', membership.role_id)
    .executeTakeFirst()
  const held = { ...membership, permissions: role?.permissions ?? null }
  return { held, asks: { ...membership, ...organization } }
}

/** Ends the least recently used grant where the limit is reached. @returns whether one has ended */
async function makeRoom(
  tx: Tx,
  trail: Trail,
  { session, organizationId, asked: { client } }: Decided,
): Promise<boolean> {
  const mine = () =>
    tx
      .selectFrom('oauth_grant')
      .select('id')
      .where('account_id', '=', session.accountId)
      .where('organization_id', '=', organizationId)
      .orderBy(sql`coalesce(last_used_at, created_at)`, 'desc')
  const old = [
    ...(await mine()
      .where('client_id', '=', client.id)
      .offset(MOST_TO_CLIENT - 1)
      .limit(10)
      .execute()),
    ...(await mine()
      .offset(MOST_OF_MEMBER - 1)
      .limit(10)
      .execute()),
  ]
  for (const id of new Set(old.map((one) => one.id)))
    await endGrants(tx, trail, { id }, { actorId: session.accountId, because: 'too_many' })
  return old.length > 0
}
