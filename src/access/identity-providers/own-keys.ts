import { DAY, type Millis, SECOND } from '../../core/clock.ts'
import { repeatable } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { atMost, createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'
import { newOwnKey, type OwnKey } from '../saml/own-certificate.ts'

type Key = Tables['saml_key']
type Provider = Pick<Tables['identity_provider'], 'id' | 'organization_id'>

/** The use of a key of Postern. */
export type Purpose = Key['purpose']

/** Days for which a replaced key stays valid by default. */
export const OVERLAP_DAYS = 30
export const OVERLAP_MOST_DAYS = 365

/** The valid keys of Postern for an identity provider, the newest first. */
export function listOwnKeys(
  db: Db | Tx,
  { id }: Pick<Provider, 'id'>,
  purpose: Purpose,
  now: Millis,
): Promise<Key[]> {
  return (
    db
      .selectFrom('saml_key')
      .selectAll()
      .where('identity_provider_id', '=', id)
      .where('purpose', '=', purpose)
      .where((where) => where.or([where('ends_at', 'is', null), where('ends_at', '>', now)]))
      // The newest key has no end.
      .orderBy((order) => order.case().when('ends_at', 'is', null).then(0).else(1).end())
      .orderBy('fingerprint')
      .execute()
  )
}

/** Makes Postern's own keys for identity providers. */
export interface OwnKeys {
  /**
   * Lists the keys as `listOwnKeys` does, and makes the first key if there is none. It is made when it is first read, because most
   * identity providers never use it.
   * @throws ApiError RATE_LIMITED
   */
  ensure(provider: Provider, purpose: Purpose, now: Millis): Promise<Key[]>
  /**
   * Makes a key pair, which is not stored.
   * @throws ApiError RATE_LIMITED
   */
  make(owner: Id<'organization'>, now: Millis): Promise<OwnKey>
}

const LONGEST_WAIT = 10 * SECOND

/**
 * One key pair is made at a time, and organizations take turns: it occupies a processor for up to some seconds, in threads that also hash
 * passwords, and anybody may read the certificates of an identity provider.
 */
export function createOwnKeys({
  clock,
  database,
  vault,
}: Pick<AccessDeps, 'clock' | 'database' | 'vault'>): OwnKeys {
  const places = createFairLimiter<Id<'organization'>>(1, atMost(1), {
    ...{ clock, longest: LONGEST_WAIT },
    late: () => new ApiError('RATE_LIMITED', { retryAfterSeconds: LONGEST_WAIT / SECOND }),
  })
  return {
    async ensure(provider, purpose, now) {
      const list = () => listOwnKeys(database.db, provider, purpose, now)
      const present = await list()
      if (present.length > 0) return present
      return places.use(provider.organization_id, async () => {
        // A request before this one in line may have made it.
        const found = await list()
        if (found.length > 0) return found
        const made = await newOwnKey('Postern', now)
        await repeatable(() => database.tx((tx) => addOwnKey(tx, vault, provider, purpose, made, now)))
        return list()
      })
    },
    make: (owner, now) => places.use(owner, () => newOwnKey('Postern', now)),
  }
}

/** Adds a key, unless there is a key without an end already. */
async function addOwnKey(
  tx: Tx,
  vault: Vault,
  { id, organization_id }: Provider,
  purpose: Purpose,
  { privateKey, certificate, fingerprint }: OwnKey,
  now: Millis,
): Promise<void> {
  await tx
    .insertInto('saml_key')
    .values({
      ...{ organization_id, identity_provider_id: id, purpose, fingerprint, certificate },
      private_key: vault.seal(privateKey, sealContext('saml_key', id, fingerprint)),
      ...{ created_at: now, ends_at: null },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The private half of a key, as PEM. */
export const openOwnKey = (vault: Vault, { identity_provider_id, fingerprint, private_key }: Key): string =>
  vault.open(private_key, sealContext('saml_key', identity_provider_id, fingerprint))

/**
 * Replaces the newest key of an identity provider, which must be locked by `tx`. While a replaced key is still valid, no key is added, and
 * the end of the replaced key is set again.
 * @param made a new key
 */
export async function replaceOwnKey(
  tx: Tx,
  vault: Vault,
  provider: Provider,
  purpose: Purpose,
  { made, overlapDays, now }: { made: OwnKey; overlapDays: number; now: Millis },
): Promise<void> {
  const endsAt = now + overlapDays * DAY
  await tx
    .deleteFrom('saml_key')
    .where('identity_provider_id', '=', provider.id)
    .where('ends_at', '<=', now)
    .execute()
  const change = tx
    .updateTable('saml_key')
    .set({ ends_at: endsAt })
    .where('identity_provider_id', '=', provider.id)
    .where('purpose', '=', purpose)
  const [moved] = await change.where('ends_at', 'is not', null).execute()
  if (moved !== undefined && moved.numUpdatedRows > 0n) return
  await change.execute()
  await addOwnKey(tx, vault, provider, purpose, made, now)
}
