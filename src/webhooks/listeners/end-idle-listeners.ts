import { DAY, type Millis } from '../../core/clock.ts'
import { lock } from '../../db/locking.ts'
import type { WebhookDeps } from '../deps.ts'
import { deleteWebhook } from '../endpoints/delete-webhook.ts'

/** A listener without a poll for this long is deleted, so that its deliveries are not kept forever. */
const IDLE: Millis = 7 * DAY
/** Most listeners that one call deletes. */
const MOST = 100

/** Deletes unused listeners with their waiting deliveries; called periodically. */
export async function endIdleListeners(
  { database, forgetWebhook }: Pick<WebhookDeps, 'database' | 'forgetWebhook'>,
  now: Millis,
): Promise<void> {
  const idle = (id?: string) => (db: typeof database.db) =>
    db
      .selectFrom('webhook')
      .select(['id', 'organization_id'])
      .where('listener', 'is not', null)
      .where('status', '!=', 'deleted')
      .where(({ fn }) => fn.coalesce('listened_at', 'created_at'), '<=', now - IDLE)
      .$if(id !== undefined, (query) => query.where('id', '=', id as never))
  for (const { id } of await idle()(database.db).limit(MOST).execute())
    await database.tx(async (tx) => {
      // A client may have polled since the first read.
      const webhook = await lock(tx, idle(id)(tx)).executeTakeFirst()
      if (webhook !== undefined) await deleteWebhook(tx, { forgetWebhook }, webhook, now)
    })
}
