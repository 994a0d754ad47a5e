import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

type Webhook = Tables['webhook']

/** Most URLs of one webhook that are kept. */
const MOST_REMEMBERED = 1_000

/** Changes the URL of a locked webhook; attempts name their URL by version. @returns the changed columns */
export async function changeUrl(
  tx: Tx,
  { id, url, url_version: version }: Webhook,
  to: string,
): Promise<Partial<Webhook>> {
  if (to === url) return {}
  await tx.insertInto('webhook_url').values({ webhook_id: id, version, url }).execute()
  await tx
    .deleteFrom('webhook_url')
    .where('webhook_id', '=', id)
    .where('version', '<=', version - MOST_REMEMBERED)
    .execute()
  return { url: to, url_version: version + 1 }
}

/** The URLs of a webhook, by version. */
export async function urlsOf(
  db: Db,
  webhookId: Id<'webhook'>,
  versions: number[],
): Promise<Map<number, string>> {
  if (versions.length === 0) return new Map()
  const before = await db
    .selectFrom('webhook_url')
    .select(['version', 'url'])
    .where('webhook_id', '=', webhookId)
    .where('version', 'in', [...new Set(versions)])
    .execute()
  const now = await db
    .selectFrom('webhook')
    .select(['url_version as version', 'url'])
    .where('id', '=', webhookId)
    .execute()
  return new Map([...before, ...now].map(({ version, url }) => [version, url]))
}
