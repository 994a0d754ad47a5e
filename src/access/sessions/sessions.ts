import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import { HOUR, type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { prepared, preparedInsert } from '../../db/engine/prepared.ts'
import { lockShared } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Cookies } from '../../http/cookies.ts'
import type { SessionMembership } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { type Account, listMemberships, toUser, UserSchema } from '../accounts/accounts.ts'
import { acceptPending, findPending } from '../accounts/pending-invitations.ts'
import type { AccessDeps } from '../deps.ts'
import {
  type FactorMethod,
  type PendingSignIn,
  secondFactorRequired,
  setPendingCookie,
  storePendingSignIn,
} from './pending-sign-in.ts'

type Session = Tables['session']

const insertSessions = preparedInsert('session', [
  'id',
  'account_id',
  'token_hash',
  'ip',
  'user_agent',
  'created_at',
  'last_seen_at',
  'expires_at',
  'factor_at',
  'identity_provider_id',
  'bound_organization_id',
  'provider_session_hash',
  'provider_hint',
])

/** A new session: its row, and the token, which is only in the cookie. */
interface NewSession {
  kind: 'begun'
  session: Session
  token: string
}

/** The identity provider of an organization to which a session is bound. */
interface SignInProvider {
  id: Id<'identityProvider'>
  organizationId: Id<'organization'>
  /** Hash of the session's id at the provider; null: unknown. */
  sessionHash: string | null
  /** The sealed data that identifies the session to the provider for a sign-out there; null: none. */
  hint: string | null
}

/**
 * The identity provider of a sign-in, locked until `tx` ends.
 * @throws ApiError UNAUTHORIZED where it is disabled
 */
export async function findSignInProvider(
  tx: Tx,
  {
    identity_provider_id: id,
    provider_session_hash: sessionHash,
    provider_hint: hint,
  }: Pick<Tables['pending_sign_in'], 'identity_provider_id' | 'provider_session_hash' | 'provider_hint'>,
): Promise<SignInProvider | undefined> {
  if (id === null) return undefined
  const row = await lockShared(
    tx,
    tx.selectFrom('identity_provider').select(['organization_id', 'status']).where('id', '=', id),
  ).executeTakeFirst()
  if (row?.status !== 'active') throw new ApiError('UNAUTHORIZED', { reason: 'no_pending_sign_in' })
  return { id, organizationId: row.organization_id, sessionHash, hint }
}

/** The circumstances of a sign-in. */
interface SignInContext {
  how: string
  /** The token of the browser's session cookie before this sign-in. */
  replaces: string | undefined
  /** The second factor that the person has shown in this sign-in, here or at the organization's identity provider. */
  shown?: FactorMethod | 'identity_provider'
  /** The organization's identity provider that vouches for the person; the session gives access only to that organization. */
  by?: SignInProvider | undefined
  /** The address after the second factor was shown. */
  returnTo?: string | null
}

/** The result of every sign-in. Only `beginSession` begins sessions, so no sign-in bypasses the second factor. */
export type SignInResult = NewSession | PendingSignIn

/**
 * Begins a session, in the transaction that proved the person. Pending invitations of a proven mailbox are accepted with it
 * (specification 1: "signs up, or signs in, and gains access"); a sign-in by an organization's provider accepts only that
 * organization's. The session whose cookie it replaces ends, because no browser could sign out of it any more.
 *
 * If the account has a second factor that was not shown in this sign-in, none of that happens: the sign-in waits.
 * @param account as read under its lock
 */
export async function beginSession(
  tx: Tx,
  { publish, credentials }: Pick<AccessDeps, 'publish' | 'credentials'>,
  trail: Trail,
  account: Account,
  { how, replaces, shown, by, returnTo = null }: SignInContext,
): Promise<SignInResult> {
  const { now, ip, userAgent } = trail
  if (account.second_factors > 0 && shown === undefined)
    return storePendingSignIn(tx, trail, { accountId: account.id, how, returnTo, by })
  const replaced = replaces === undefined ? undefined : await endReplaced(tx, trail, account, replaces)
  if (replaced !== undefined) afterCommit(tx, () => credentials.clearPeople([replaced]))
  if (account.email_verified_at !== null && by === undefined) {
    await acceptPending(tx, publish, trail, account, await findPending(tx, account.email, now))
  }
  const token = newToken()
  const session: Session = {
    id: newId('session', now),
    account_id: account.id,
    token_hash: hashToken(token),
    ip,
    user_agent: userAgent,
    created_at: now,
    last_seen_at: now,
    expires_at: now + LIFETIME.sessionAbsolute,
    factor_at: shown === undefined ? null : now,
    identity_provider_id: by?.id ?? null,
    bound_organization_id: by?.organizationId ?? null,
    provider_session_hash: by?.sessionHash ?? null,
    provider_hint: by?.hint ?? null,
  }
  await insertSessions(tx, [session])
  await audit(tx, trail, {
    action: 'sign_in.succeeded',
    accountId: account.id,
    actorId: account.id,
    targetId: session.id,
    ...(by && { organizationId: by.organizationId }),
    details: { how, ...(shown && { factor: shown }), ...(by && { identityProviderId: by.id }) },
  })
  return { kind: 'begun', session, token }
}

/** Calls `beginSession` and adds the answer of a sign-in, which reveals nothing about the account while the second factor is missing. */
export async function completeSignIn(
  tx: Tx,
  deps: Pick<AccessDeps, 'config' | 'publish' | 'credentials'>,
  trail: Trail,
  account: Account,
  arrival: SignInContext,
) {
  const entered = await beginSession(tx, deps, trail, account, arrival)
  if (entered.kind === 'pending') return entered
  return { ...entered, answer: await toSignedIn(tx, deps, account, entered.session, trail.now) }
}

/**
 * Sets the cookie of a session, or of a sign-in that waits for its second factor.
 * @throws ApiError UNAUTHORIZED `second_factor_required` for the latter
 */
export function setSignInCookie<Session extends NewSession>(
  reply: FastifyReply,
  cookies: Cookies,
  entered: Session | PendingSignIn,
): Session {
  if (entered.kind === 'begun') {
    setSessionCookie(reply, cookies, entered.token)
    return entered
  }
  setPendingCookie(reply, cookies, entered)
  throw secondFactorRequired(entered)
}

/** @returns whether the session existed */
async function endReplaced(
  tx: Tx,
  trail: Trail,
  account: Account,
  token: string,
): Promise<Account['id'] | undefined> {
  const ended = await tx
    .deleteFrom('session')
    .where('token_hash', '=', hashToken(token))
    .returning(['id', 'account_id'])
    .executeTakeFirst()
  if (ended === undefined) return undefined
  await audit(tx, trail, {
    action: 'session.ended',
    accountId: ended.account_id,
    actorId: account.id,
    targetId: ended.id,
    details: { because: 'replaced' },
  })
  return ended.account_id
}

function setSessionCookie(reply: FastifyReply, cookies: Cookies, token: string): void {
  void reply.setCookie(cookies.session, token, {
    ...cookies.options,
    maxAge: LIFETIME.sessionAbsolute / 1_000,
  })
}

export function clearSessionCookie(reply: FastifyReply, cookies: Cookies): void {
  void reply.clearCookie(cookies.session, cookies.options)
}

/** A live session, its account and memberships. */
interface LiveSession {
  id: Id<'session'>
  account_id: Id<'account'>
  last_seen_at: Millis
  second_factors: number
  /** Whether a second factor was shown in it. */
  factor_at: Millis | null
  /** The organization's identity provider that began it; null: the person's own sign-in. */
  identity_provider_id: Id<'identityProvider'> | null
  memberships: SessionMembership[]
}

/** The longest time until the end of a session. */
export const SESSION_MOST: Millis = LIFETIME.sessionAbsolute + LIFETIME.lenience

/** `last_seen_at` is written at most this often, so that most reads write nothing. */
const SEEN_EVERY = HOUR

type SessionRow = Omit<LiveSession, 'memberships'> & SessionMembership

const selectSession = prepared<{ hash: string; now: Millis; latest: Millis; idleSince: Millis }>()(
  (db, value) =>
    sql<SessionRow>`
    select session.id, session.account_id, session.last_seen_at, account.second_factors,
           session.factor_at, session.identity_provider_id,
           organization.second_factor_from, organization.second_factor_grace,
           membership.created_at as joined_at, organization.sign_in_required_at, membership.own_sign_in_at,
           membership.organization_id, membership.role, membership.role_id,
           role.permissions, organization.disabled_at,
           session_exclusion.created_at as ended_at
    from session
    join account on account.id = session.account_id and account.status = 'active'
    left join membership on membership.account_id = account.id
      and (session.bound_organization_id is null or membership.organization_id = session.bound_organization_id)
    left join role on role.id = membership.role_id
    left join organization on organization.id = membership.organization_id
    left join session_exclusion on session_exclusion.session_id = session.id
      and session_exclusion.organization_id = membership.organization_id
    where session.token_hash = ${value('hash')}
      and session.expires_at > ${value('now')}
      and session.expires_at <= ${value('latest')}
      and session.last_seen_at > ${value('idleSince')}
    order by membership.created_at, membership.organization_id`.compile(db),
)

/**
 * The session of a cookie, if it has not ended and its account is active. One query also reads the memberships, so that `GET
 * /v1/auth/token` needs no second one. Routes about the account use `findOwnSession`.
 */
export async function findSession(
  db: Db,
  token: string | undefined,
  now: Millis,
): Promise<LiveSession | undefined> {
  if (token === undefined || token.length !== 43) return undefined
  const rows = await selectSession(db, {
    hash: hashToken(token),
    now,
    latest: now + SESSION_MOST,
    idleSince: now - LIFETIME.sessionIdle,
  })
  const [first] = rows
  return first && { ...first, memberships: rows.filter(({ organization_id }) => organization_id !== null) }
}

/**
 * The session of a cookie for a route about the account itself. A session of an organization's identity provider is refused, because the
 * provider speaks for the organization and not for the person.
 * @throws ApiError FORBIDDEN `own_sign_in_required`
 */
export async function findOwnSession(
  db: Db,
  token: string | undefined,
  now: Millis,
): Promise<LiveSession | undefined> {
  const session = await findSession(db, token, now)
  if (typeof session?.identity_provider_id === 'string')
    throw new ApiError('FORBIDDEN', { reason: 'own_sign_in_required' })
  return session
}

/** Whether the stored time of a session's last use is too old. */
export function isStale(session: Pick<Session, 'last_seen_at'>, now: number): boolean {
  return now - session.last_seen_at >= SEEN_EVERY
}

export const SessionSchema = Type.Object({
  id: Type.String(),
  createdAt: Moment,
  expiresAt: Moment,
  organizationId: Nullable(Type.String()),
  identityProviderId: Nullable(Type.String()),
})

/** The `session` of decisions: access; its id is not the cookie's value. */
function toSession(session: Session) {
  return {
    id: session.id,
    createdAt: toIso(session.created_at),
    expiresAt: toIso(session.expires_at),
    organizationId: session.bound_organization_id,
    identityProviderId: session.identity_provider_id,
  }
}

export const SignedInSchema = Type.Object({ user: UserSchema, session: SessionSchema })

/** The answer of a completed sign-in. */
export async function toSignedIn(
  db: Db | Tx,
  { config }: Pick<AccessDeps, 'config'>,
  account: Account,
  session: Session,
  now: Millis,
) {
  const { bound_organization_id: only } = session
  const isVouchedFor = session.identity_provider_id !== null && session.factor_at !== null
  const organizations = await listMemberships(db, config, account.id, now)
  // A session of an organization's identity provider does not show the person's other organizations.
  const shown = only === null ? organizations : organizations.filter(({ id }) => id === only)
  const user = toUser(
    account,
    isVouchedFor ? shown.map((one) => ({ ...one, secondFactorDueAt: null })) : shown,
  )
  return { user, session: toSession(session) }
}
