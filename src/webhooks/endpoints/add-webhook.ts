import type { FastifyRequest } from 'fastify'
import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { renewSecret } from '../../delivery/attempt/secrets.ts'
import { callerOf } from '../../http/principal.ts'
import type { Static } from '../../http/schema/type.ts'
import type { WebhookDeps } from '../deps.ts'
import { toWebhooks, type WebhookSchema } from './webhook-wire.ts'

/**
 * Writes a new webhook with its first secret, and audits it.
 * @throws ApiError DUPLICATE where another webhook has its inbound path
 * @returns the webhook as the API shows it, and its secret, which is shown only once
 */
export async function addWebhook(
  tx: Tx,
  { vault, forgetWebhook }: Pick<WebhookDeps, 'vault' | 'forgetWebhook'>,
  request: FastifyRequest,
  row: Tables['webhook'],
): Promise<Static<typeof WebhookSchema> & { secret: string }> {
  const { now } = request
  const { organizationId, actorId } = callerOf(request)
  const inserted = await tx
    .insertInto('webhook')
    .values(row)
    .onConflict((conflict) => conflict.column('endpoint_path').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined)
    throw new ApiError('DUPLICATE', { field: 'endpointPath', value: row.endpoint_path })
  const secret = await renewSecret(tx, vault, row.id, now)
  forgetWebhook(tx, row)
  noteChanges(tx, 'webhook', [row])
  await audit(tx, trailOf(request), {
    action: 'webhook.created',
    organizationId,
    actorId,
    targetId: row.id,
    details: { url: row.url },
  })
  const [wire] = await toWebhooks(tx, [row], now)
  return { ...(wire as NonNullable<typeof wire>), secret }
}
