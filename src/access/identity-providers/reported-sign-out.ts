import { audit, type Trail } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { hashToken } from '../../core/secret.ts'
import { afterCommit, type Db, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { endProviderSessions } from '../accounts/end-provider-entry.ts'
import type { AccessDeps } from '../deps.ts'
import type { Vouched } from './read-claims.ts'

type Provider = Tables['identity_provider']

/** A sign-out that an identity provider reports. */
export interface Report {
  /** The id of the report; a second report with it is refused. */
  id: string
  /** How long a report counts at most. */
  age: Millis
  how: 'back_channel' | 'single_logout'
  /** The provider's key of the person; undefined: `sessions` decides. */
  subject?: string | undefined
  /** The session ids of the provider; undefined: all sessions that it began for the person. */
  sessions?: readonly string[] | undefined
}

/** A sign-in takes no longer from its beginning at Postern to its session: the life of its flow, and the calls to the provider. */
const LONGEST_SIGN_IN: Millis = 2 * LIFETIME.socialState

/**
 * Ends the sessions of a report, with their tokens and grants, and unfinished sign-ins, because a sign-in that the provider confirmed
 * before the report would otherwise begin a session after it.
 * @param provider the row by which the report was verified
 * @returns the reason of a refusal, which ends nothing; undefined on success
 */
export async function endReported(
  tx: Tx,
  { credentials }: Pick<AccessDeps, 'credentials'>,
  trail: Trail,
  provider: Provider,
  { id, age, how, subject, sessions }: Report,
): Promise<'provider_changed' | 'used' | undefined> {
  // Waits for sign-ins under way, which hold the row, and for a change of the provider.
  const row = await lock(
    tx,
    tx.selectFrom('identity_provider').selectAll().where('id', '=', provider.id),
  ).executeTakeFirst()
  if (row?.status !== 'active' || row.settings !== provider.settings) return 'provider_changed'
  if (!(await countOnce(tx, provider, hashToken(id), trail.now, age))) return 'used'
  await noteSignedOut(tx, provider, { subject, sessions }, trail.now)
  const ended = await endProviderSessions(tx, {
    id: provider.id,
    ...(subject !== undefined && { accountId: await accountKnownAs(tx, provider, subject) }),
    ...(sessions !== undefined && { sessionHashes: sessions.map(hashToken) }),
  })
  for (const session of ended)
    await audit(tx, trail, {
      action: 'sign_out',
      ...{ organizationId: provider.organization_id, accountId: session.account_id },
      ...{ actorId: provider.id, targetId: session.id },
      details: { how },
    })
  const people = new Set(ended.map((session) => session.account_id))
  if (people.size > 0) afterCommit(tx, () => credentials.clearPeople([...people]))
  return undefined
}

/** Whether a report was followed before; `endReported` decides between two at once. */
export async function isSpent(
  db: Db,
  { id }: Pick<Provider, 'id'>,
  report: Pick<Report, 'id'>,
): Promise<boolean> {
  const spent = await db
    .selectFrom('spent_logout')
    .select('token_hash')
    .where('identity_provider_id', '=', id)
    .where('token_hash', '=', hashToken(report.id))
    .executeTakeFirst()
  return spent !== undefined
}

async function countOnce(
  tx: Tx,
  { id, organization_id }: Provider,
  token_hash: string,
  now: Millis,
  age: Millis,
): Promise<boolean> {
  // Only those of the provider, which is locked: reports of other organizations do not wait for these rows.
  await tx
    .deleteFrom('spent_logout')
    .where('identity_provider_id', '=', id)
    .where('expires_at', '<=', now)
    .execute()
  const added = await tx
    .insertInto('spent_logout')
    .values({ identity_provider_id: id, organization_id, token_hash, expires_at: now + 2 * age })
    .onConflict((conflict) => conflict.doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  return added !== undefined
}

/** The hash of the subject of a report: a person, a session, or a session of a person. */
const signedOutHash = (subject: string | undefined, session: string | undefined) =>
  hashToken(JSON.stringify(['signed out', subject ?? null, session ?? null]))

/** Stores a sign-out among the reports, for `hasSignedOut`: its moment is `expires_at` less `LONGEST_SIGN_IN`. */
async function noteSignedOut(
  tx: Tx,
  { id, organization_id }: Provider,
  {
    subject,
    sessions = [undefined],
  }: { subject?: string | undefined; sessions?: readonly (string | undefined)[] | undefined },
  now: Millis,
): Promise<void> {
  const hashes = new Set(sessions.map((session) => signedOutHash(subject, session)))
  const expires_at = now + LONGEST_SIGN_IN
  await tx
    .insertInto('spent_logout')
    .values(
      [...hashes].map((token_hash) => ({
        identity_provider_id: id,
        organization_id,
        token_hash,
        expires_at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['identity_provider_id', 'token_hash']).doUpdateSet({ expires_at }),
    )
    .execute()
}

/**
 * Whether a provider has reported a sign-out of a person, or of a session, since a sign-in began. The row of the provider must be held by
 * `tx`, so that a report comes either before this or after the session.
 */
export async function hasSignedOut(
  tx: Tx,
  { id }: Pick<Provider, 'id'>,
  { subject, session }: Pick<Vouched, 'subject' | 'session'>,
  beganAt: Millis,
): Promise<boolean> {
  const named =
    session === undefined ? [] : [signedOutHash(subject, session), signedOutHash(undefined, session)]
  const found = await tx
    .selectFrom('spent_logout')
    .select('token_hash')
    .where('identity_provider_id', '=', id)
    .where('token_hash', 'in', [signedOutHash(subject, undefined), ...named])
    .where('expires_at', '>', beganAt + LONGEST_SIGN_IN)
    .executeTakeFirst()
  return found !== undefined
}

/** The account with a name of the provider; null if there is none. */
async function accountKnownAs(
  tx: Tx,
  { id }: Pick<Provider, 'id'>,
  subject: string,
): Promise<Id<'account'> | null> {
  const identity = await tx
    .selectFrom('identity')
    .select('account_id')
    .where('provider', '=', id)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return identity?.account_id ?? null
}
