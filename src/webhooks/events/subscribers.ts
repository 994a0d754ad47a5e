import type { Id } from '../../core/id.ts'
import type { Database } from '../../db/database.ts'
import { asksFor } from '../../delivery/publish/subscriptions.ts'

/** The webhooks of an organization with their subscribed types. */
function selectSubscribers({ db }: Database, organizationId: Id<'organization'>) {
  return db
    .selectFrom('webhook')
    .select(['id', 'url', 'status', 'events'])
    .where('organization_id', '=', organizationId)
    .where('status', '!=', 'deleted')
    .orderBy('id')
    .execute()
}

/** The webhooks that receive or hold an event of a type. */
export async function findSubscribers(database: Database, organizationId: Id<'organization'>, type: string) {
  const rows = await selectSubscribers(database, organizationId)
  return rows.filter(({ events }) => asksFor(new Set(JSON.parse(events) as string[]), type))
}

/** Counts the webhooks of each type. */
export async function countSubscribers(
  database: Database,
  organizationId: Id<'organization'>,
): Promise<(type: string) => number> {
  const counts = new Map<string, number>()
  for (const { events } of await selectSubscribers(database, organizationId)) {
    const types = new Set(JSON.parse(events) as string[])
    // A webhook with `*` counts once, also where it names types.
    for (const type of types.has('*') ? ['*'] : types) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return (type) => (counts.get(type) ?? 0) + (counts.get('*') ?? 0)
}
