import { sql } from 'kysely'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { preparedForList } from '../../db/engine/lists.ts'
import { literal } from '../../db/literal.ts'
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
  /** The webhooks of organizations, paused ones included, in the order of their making. */
  find(tx: Tx, organizationIds: Id<'organization'>[]): Promise<Map<Id<'organization'>, Subscription[]>>
  /** Must follow the commit of every change to an organization's webhooks. */
  forget(organizationId: Id<'organization'>): void
}

type Row = Pick<
  Tables['webhook'],
  'id' | 'organization_id' | 'status' | 'max_in_flight' | 'max_per_second' | 'events'
>

/** Of all at once: each statement is a journey, for which a commit would wait. */
const selectSubscriptions = preparedForList<Pick<Row, 'organization_id'>, Row>(
  { organization_id: 'text' },
  (db, list) =>
    sql<Row>`
      select id, organization_id, status, max_in_flight, max_per_second, events from webhook
      where organization_id in (${list}) and status != ${literal('deleted')}
      order by id`.compile(db),
)

/** Organizations kept in memory at most. */
const MOST_ENTRIES = 10_000

/** @param shared whether other processes may change webhooks, so that nothing read before may be believed */
export function createSubscriptions({ shared }: { shared: boolean }): Subscriptions {
  const known = createBoundedMap<Id<'organization'>, Subscription[]>(MOST_ENTRIES)

  async function readAll(tx: Tx, organizationIds: Id<'organization'>[]): ReturnType<Subscriptions['find']> {
    const rows = await selectSubscriptions(
      tx,
      organizationIds.map((organization_id) => ({ organization_id })),
    )
    const found = new Map<Id<'organization'>, Subscription[]>(organizationIds.map((id) => [id, []]))
    for (const row of rows) found.get(row.organization_id)?.push(toSubscription(row))
    // Only what has been committed may be remembered.
    if (!shared)
      afterCommit(tx, () => {
        for (const [organizationId, subscriptions] of found) known.set(organizationId, subscriptions)
      })
    return found
  }

  return {
    async find(tx, organizationIds) {
      const found = new Map<Id<'organization'>, Subscription[]>()
      const unknown: Id<'organization'>[] = []
      for (const id of organizationIds) {
        const subscriptions = known.get(id)
        if (subscriptions === undefined) unknown.push(id)
        else found.set(id, subscriptions)
      }
      if (unknown.length > 0) for (const [id, read] of await readAll(tx, unknown)) found.set(id, read)
      return found
    },
    forget: (organizationId) => void known.delete(organizationId),
  }
}

function toSubscription({ id, status, max_in_flight, max_per_second, events }: Row): Subscription {
  return {
    id,
    status,
    maxInFlight: max_in_flight,
    maxPerSecond: max_per_second,
    types: new Set(JSON.parse(events) as string[]),
  }
}
