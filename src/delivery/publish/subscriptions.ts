import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** A webhook as publishing sees it. */
export interface Subscription {
  id: Id<'webhook'>
  status: Tables['webhook']['status']
  maxInFlight: number
  maxPerSecond: number | null
  types: Set<string>
}

/** Whether a webhook that asks for `types` gets events of a type. */
export function asksFor(types: Set<string>, type: string): boolean {
  return types.has(type) || types.has('*')
}

/** Which webhooks ask for what, by organization. */
export interface Subscriptions {
  /** An organization's webhooks, paused ones included, in the order of their making. */
  find(tx: Tx, organizationId: Id<'organization'>): Promise<Subscription[]>
  /** Must follow the commit of every change to an organization's webhooks. */
  forget(organizationId: Id<'organization'>): void
}

const selectSubscriptions = prepared<{ organizationId: Id<'organization'> }>()((db, value) =>
  db
    .selectFrom('webhook')
    .select(['id', 'status', 'max_in_flight', 'max_per_second', 'events'])
    .where('organization_id', '=', value('organizationId'))
    .where('status', '!=', 'deleted')
    .orderBy('id'),
)

/** Organizations kept in memory at most. */
const MOST_ENTRIES = 10_000

/** @param shared whether other processes may change webhooks, so that nothing read before may be believed */
export function createSubscriptions({ shared }: { shared: boolean }): Subscriptions {
  const known = createBoundedMap<Id<'organization'>, Subscription[]>(MOST_ENTRIES)

  async function read(tx: Tx, organizationId: Id<'organization'>): Promise<Subscription[]> {
    const rows = await selectSubscriptions(tx, { organizationId })
    const subscriptions = rows.map(({ id, status, max_in_flight, max_per_second, events }) => ({
      id,
      status,
      maxInFlight: max_in_flight,
      maxPerSecond: max_per_second,
      types: new Set(JSON.parse(events) as string[]),
    }))
    // Only what has been committed may be remembered.
    if (!shared) afterCommit(tx, () => known.set(organizationId, subscriptions))
    return subscriptions
  }

  return {
    find: async (tx, organizationId) => known.get(organizationId) ?? (await read(tx, organizationId)),
    forget: (organizationId) => void known.delete(organizationId),
  }
}
