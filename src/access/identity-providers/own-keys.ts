import { DAY, type Millis } from '../../core/clock.ts'
import type { Vault } from '../../core/secret.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { newOwnKey, type OwnKey } from '../saml/own-certificate.ts'

type Key = Tables['saml_key']
type Provider = Pick<Tables['identity_provider'], 'id' | 'organization_id'>

/** What a key of Postern's own is for. */
export type Purpose = Key['purpose']

/** Days for which a key that was replaced works on, unless said otherwise. */
export const OVERLAP_DAYS = 30
export const OVERLAP_MOST_DAYS = 365

/** The keys of Postern's own that an identity provider may use now, the newest first. */
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
      // The one without an end is the newest.
      .orderBy((order) => order.case().when('ends_at', 'is', null).then(0).else(1).end())
      .orderBy('fingerprint')
      .execute()
  )
}

/**
 * The same; the first one is made where there is none. It is made when it is first read, because most identity providers never use it, and
 * to make one takes a second of a processor.
 */
export async function ownKeysOf(
  { db, tx }: Pick<Database, 'db' | 'tx'>,
  vault: Vault,
  provider: Provider,
  purpose: Purpose,
  now: Millis,
): Promise<Key[]> {
  const present = await listOwnKeys(db, provider, purpose, now)
  if (present.length > 0) return present
  const made = await newOwnKey('Postern', now)
  await tx((inner) => addOwnKey(inner, vault, provider, purpose, made, now))
  return listOwnKeys(db, provider, purpose, now)
}

/** Adds a key, unless another one is the newest already. */
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
 * Replaces the newest key of an identity provider, which is locked by `tx`. Where a replaced one still works, none is made: then its end
 * is set anew.
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
