import { DAY, type Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import type { Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { secondsUntil } from '../../http/rate-limit.ts'
import { newSecret } from './signature.ts'

/** A retired secret is still valid this long (specification 3). */
export const OVERLAP: Millis = DAY

/**
 * Retired secrets alive at once: each is one more signature in a header, and one more request to a receiver that
 * refuses them all.
 */
const MOST_RETIRED = 10

/**
 * Gives a webhook a new secret, which signs from now on; the one before stays valid for its own 24 hours. The
 * webhook's row must be locked by `tx`, or two rotations at once would leave two secrets that sign.
 * @throws ApiError RATE_LIMITED
 * @returns the secret, shown once and stored sealed
 */
export async function renewSecret(
  tx: Tx,
  vault: Vault,
  webhookId: Id<'webhook'>,
  now: Millis,
): Promise<string> {
  await tx
    .deleteFrom('webhook_secret')
    .where('webhook_id', '=', webhookId)
    .where('expires_at', '<=', now)
    .execute()
  const retired = await tx
    .selectFrom('webhook_secret')
    .select('expires_at')
    .where('webhook_id', '=', webhookId)
    .where('expires_at', 'is not', null)
    .orderBy('expires_at')
    .execute()
  const [oldest] = retired
  if (retired.length >= MOST_RETIRED)
    throw new ApiError('RATE_LIMITED', { retryAfterSeconds: secondsUntil(oldest?.expires_at ?? now, now) })
  await tx
    .updateTable('webhook_secret')
    .set({ expires_at: now + OVERLAP })
    .where('webhook_id', '=', webhookId)
    .where('expires_at', 'is', null)
    .execute()
  const secret = newSecret()
  await tx
    .insertInto('webhook_secret')
    .values({
      webhook_id: webhookId,
      secret: vault.seal(secret, sealContext('webhook_secret', webhookId)),
      // People recognize a secret by its last characters.
      hint: secret.slice(-6),
      created_at: now,
      expires_at: null,
    })
    .execute()
  return secret
}

/** Deletes every secret of a webhook, or of all webhooks of an organization: nothing can be signed for them any more. */
export async function deleteSecrets(
  tx: Tx,
  whose: { webhookId: Id<'webhook'> } | { organizationId: Id<'organization'> },
): Promise<void> {
  const secrets = tx.deleteFrom('webhook_secret')
  if ('webhookId' in whose) {
    await secrets.where('webhook_id', '=', whose.webhookId).execute()
    return
  }
  const webhooks = tx.selectFrom('webhook').select('id').where('organization_id', '=', whose.organizationId)
  await secrets.where('webhook_id', 'in', webhooks).execute()
}

/** The live secrets of a webhook: the one that signs, then the retired ones that are still valid, newest first. */
export async function secretsOf(
  db: Db | Tx,
  vault: Vault,
  webhookId: Id<'webhook'>,
  now: Millis,
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_secret')
    .select(['secret', 'expires_at'])
    .where('webhook_id', '=', webhookId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .execute()
  return openSecrets(vault, webhookId, rows)
}

/** Opens the rows of live secrets, the one that signs first, then the retired ones, newest first. */
export function openSecrets(
  vault: Pick<Vault, 'open'>,
  webhookId: Id<'webhook'>,
  rows: Pick<Tables['webhook_secret'], 'secret' | 'expires_at'>[],
): string[] {
  return rows
    .sort((a, b) => (b.expires_at ?? Number.POSITIVE_INFINITY) - (a.expires_at ?? Number.POSITIVE_INFINITY))
    .map(({ secret }) => vault.open(secret, sealContext('webhook_secret', webhookId)))
}
