import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import { audit, type Trail } from '../../audit/audit.ts'
import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { FACTOR_TRIES, LIFETIME } from '../../core/limits.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { isPending } from '../../db/plausible-time.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Cookies } from '../../http/cookies.ts'

/** The kinds of second factors. */
export const FACTOR_METHODS = ['totp', 'passkey', 'recovery_code'] as const
export type FactorMethod = (typeof FACTOR_METHODS)[number]

/**
 * A sign-in of a person with a second factor who has shown only the first. It gives no access: no session has begun, no invitation
 * is accepted, and no session was replaced.
 *
 * (none) --the first factor is shown in any sign-in--> pending --a second one is shown--> session
 * pending --five wrong tries, ten minutes, `endEntry`, or a change of the account's factors--> (none)
 */
export interface PendingSignIn {
  kind: 'pending'
  /** The value of the browser's cookie; its hash is stored. */
  token: string
  methods: FactorMethod[]
  expiresAt: Millis
}

interface Kept {
  accountId: Id<'account'>
  how: string
  returnTo: string | null
  by?: { id: Id<'identityProvider'>; sessionHash: string | null; hint: string | null } | undefined
}

/** Stores a sign-in that waits for its second factor. The account must be locked by `tx`. */
export async function storePendingSignIn(
  tx: Tx,
  trail: Trail,
  { accountId, how, returnTo, by }: Kept,
): Promise<PendingSignIn> {
  const { now } = trail
  const token = newToken()
  const expiresAt = now + LIFETIME.pendingSignIn
  await tx
    .insertInto('pending_sign_in')
    .values({
      token_hash: hashToken(token),
      account_id: accountId,
      how,
      return_to: returnTo,
      tries: 0,
      created_at: now,
      expires_at: expiresAt,
      identity_provider_id: by?.id ?? null,
      provider_session_hash: by?.sessionHash ?? null,
      provider_hint: by?.hint ?? null,
    })
    .execute()
  await audit(tx, trail, { action: 'sign_in.factor_asked', accountId, details: { how } })
  return { kind: 'pending', token, methods: await listMethods(tx, accountId), expiresAt }
}

/** The kinds of second factors that an account has. */
export async function listMethods(db: Db | Tx, accountId: Id<'account'>): Promise<FactorMethod[]> {
  const rows = await db
    .selectFrom('second_factor')
    .select('kind')
    .distinct()
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .execute()
  if (rows.length === 0) return []
  const code = await db
    .selectFrom('recovery_code')
    .select('number')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  const has = new Set<FactorMethod>(rows.map(({ kind }) => kind))
  if (code !== undefined) has.add('recovery_code')
  return FACTOR_METHODS.filter((method) => has.has(method))
}

/** Reads a pending sign-in that has not ended, without a change. */
export async function findPendingSignIn(
  db: Db | Tx,
  token: string | undefined,
  now: Millis,
): Promise<Tables['pending_sign_in'] | undefined> {
  if (token === undefined) return undefined
  return db
    .selectFrom('pending_sign_in')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('tries', '<', FACTOR_TRIES)
    .where(isPending('expires_at', now, LIFETIME.pendingSignIn + LIFETIME.lenience))
    .executeTakeFirst()
}

/**
 * Counts a try before the factor is compared, so that of any number of concurrent requests five are compared.
 * @returns undefined where the sign-in has ended
 */
export async function countFactorTry(
  tx: Tx,
  tokenHash: string,
  now: Millis,
): Promise<Tables['pending_sign_in'] | undefined> {
  return tx
    .updateTable('pending_sign_in')
    .set({ tries: sql`tries + 1` })
    .where('token_hash', '=', tokenHash)
    .where('tries', '<', FACTOR_TRIES)
    .where(isPending('expires_at', now, LIFETIME.pendingSignIn + LIFETIME.lenience))
    .returningAll()
    .executeTakeFirst()
}

/** Ends a pending sign-in; of concurrent requests, one gets true. */
export async function endPending(tx: Tx, tokenHash: string): Promise<boolean> {
  const ended = await tx
    .deleteFrom('pending_sign_in')
    .where('token_hash', '=', tokenHash)
    .returning('token_hash')
    .executeTakeFirst()
  return ended !== undefined
}

/** Redirects a browser to the page that asks for the factor. */
export function redirectToSecondFactor(
  reply: FastifyReply,
  baseUrl: string,
  cookies: Cookies,
  pending: PendingSignIn,
  status: 302 | 303,
): FastifyReply {
  setPendingCookie(reply, cookies, pending)
  return reply.redirect(`${baseUrl}/sign-in#second-factor`, status)
}

export function setPendingCookie(reply: FastifyReply, cookies: Cookies, { token }: PendingSignIn): void {
  void reply.setCookie(cookies.pending, token, {
    ...cookies.options,
    maxAge: LIFETIME.pendingSignIn / 1_000,
  })
}

/** The refusal of a sign-in that requires a second factor. */
export function secondFactorRequired({ methods, expiresAt }: PendingSignIn): ApiError<'UNAUTHORIZED'> {
  return new ApiError('UNAUTHORIZED', {
    reason: 'second_factor_required',
    methods,
    expiresAt: toIso(expiresAt),
  })
}
