import { DAY, type Millis } from '../../core/clock.ts'
import { lock } from '../../db/locking.ts'
import type { WebhookDeps } from '../deps.ts'
import { deleteWebhook } from '../endpoints/delete-webhook.ts'

/** A listener for which no client has asked for so long is deleted, so that nothing is kept for it for ever. */
const IDLE: Millis = 7 * DAY
/** Listeners that one run deletes. */
const MOST = 100

/** Deletes listeners that nobody uses any more, with what waits for them; due from time to time. */
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
      // A client may have asked just now.
      const webhook = await lock(tx, idle(id)(tx)).executeTakeFirst()
      if (webhook !== undefined) await deleteWebhook(tx, { forgetWebhook }, webhook, now)
    })
}
