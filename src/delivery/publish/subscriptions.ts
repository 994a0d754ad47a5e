import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { preparedForList } from '../../db/engine/lists.ts'
import type { Parameter } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** The data of a webhook for publishing. */
export interface Subscription {
  id: Id<'webhook'>
  status: Tables['webhook']['status']
  maxInFlight: number
  maxPerSecond: number | null
  /** Whether clients fetch its deliveries. */
  isListener: boolean
  types: Set<string>
}

/** Whether a webhook that asks for `types` gets events of a type. */
export function asksFor(types: Set<string>, type: string): boolean {
  return types.has(type) || types.has('*')
}

/**
 * Organizations with cached webhooks, and the digests of these webhooks in the same order. A statement
 * compares them with the table.
 */
export interface Assumed {
  organizations: Id<'organization'>[]
  digests: string[]
}

/** The webhooks of organizations, paused ones included, in the order of their making. */
export interface Found {
  of: Map<Id<'organization'>, Subscription[]>
  /**
   * Cached webhooks that other processes may have changed: the statement that writes compares them with the
   * table.
   */
  assumed: Assumed
}

/** The webhooks of organizations and the event types that they ask for, cached. */
export interface Subscriptions {
  find(tx: Tx, organizationIds: Id<'organization'>[]): Promise<Found>
  /** Removes the cached webhooks. Called after each commit that changes webhooks, and where the table turns out to differ. */
  forget(organizationId: Id<'organization'>): void
}

interface Row
  extends Pick<
    Tables['webhook'],
    'id' | 'organization_id' | 'status' | 'max_in_flight' | 'max_per_second' | 'events' | 'listener'
  > {
  line: string
}

/**
 * The columns of a webhook that publishing reads, as one text. PostgreSQL formats both of the compared texts,
 * so that equal webhooks have equal texts.
 */
const LINE = sql<string>`concat_ws(' ', id, status, max_in_flight, max_per_second, events, listener)`

/** One statement for all organizations: a commit would wait for the round trip of each further one. */
const selectSubscriptions = preparedForList<Pick<Row, 'organization_id'>, Row>(
  { organization_id: 'text' },
  (db, list) =>
    sql<Row>`
      select id, organization_id, status, max_in_flight, max_per_second, events, listener, ${LINE} as line from webhook
      where organization_id in (${list}) and status != ${literal('deleted')}
      order by id`.compile(db),
)

/** Whether the cached webhooks of organizations equal those of the table. Only for engines with lists as parameters. */
export function areAsAssumed(value: Parameter<Assumed>): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from unnest(${value('organizations')}::text[], ${value('digests')}::text[]) as assumed (organization_id, digest)
    where assumed.digest is distinct from (
      select encode(sha256(convert_to(coalesce(string_agg(${LINE}, ${literal('\n')} order by id), ''), 'UTF8')), 'hex')
      from webhook where webhook.organization_id = assumed.organization_id and status != ${literal('deleted')}
    )
  )`
}

function digestOf(rows: Row[]): string {
  return createHash('sha256')
    .update(rows.map(({ line }) => line).join('\n'))
    .digest('hex')
}

/** Organizations kept in memory at most. */
const MOST_ENTRIES = 10_000
/** Webhooks of an organization with more of them are not cached: comparing them with the table costs as much as reading them. */
const MOST_ASSUMED = 100

/** The cached webhooks of an organization, and their digest where a statement has to compare them with the table. */
interface Known {
  subscriptions: Subscription[]
  digest?: string
}

interface Place {
  /** Whether other processes may change webhooks, so that a cached one may be out of date. */
  shared: boolean
  /** With `postgres`, the statement that publishes compares cached webhooks with the table, so that they may be cached although `shared`. */
  engine?: 'sqlite' | 'postgres'
}

export function createSubscriptions({ shared, engine }: Place): Subscriptions {
  const known = createBoundedMap<Id<'organization'>, Known>(MOST_ENTRIES)
  const isChecked = shared && engine === 'postgres'

  async function readAll(tx: Tx, organizationIds: Id<'organization'>[]): Promise<Found['of']> {
    const list = organizationIds.map((organization_id) => ({ organization_id }))
    const byOwner = Map.groupBy(await selectSubscriptions(tx, list), (row) => row.organization_id)
    const read = new Map(organizationIds.map((id) => [id, toKnown(byOwner.get(id) ?? [])]))
    // Only what has been committed may be remembered.
    if (!shared || isChecked)
      afterCommit(tx, () => {
        for (const [id, one] of read)
          if (!isChecked || one.subscriptions.length <= MOST_ASSUMED) known.set(id, one)
      })
    return new Map([...read].map(([id, { subscriptions }]) => [id, subscriptions]))
  }

  function toKnown(rows: Row[]): Known {
    const subscriptions = rows.map(toSubscription)
    return isChecked ? { subscriptions, digest: digestOf(rows) } : { subscriptions }
  }

  return {
    async find(tx, organizationIds) {
      const found: Found = { of: new Map(), assumed: { organizations: [], digests: [] } }
      const unknown: Id<'organization'>[] = []
      for (const organizationId of organizationIds) {
        const one = known.get(organizationId)
        if (one === undefined) {
          unknown.push(organizationId)
          continue
        }
        found.of.set(organizationId, one.subscriptions)
        if (one.digest === undefined) continue
        found.assumed.organizations.push(organizationId)
        found.assumed.digests.push(one.digest)
      }
      if (unknown.length > 0) for (const [id, read] of await readAll(tx, unknown)) found.of.set(id, read)
      return found
    },
    forget: (organizationId) => void known.delete(organizationId),
  }
}

function toSubscription({ id, status, max_in_flight, max_per_second, events, listener }: Row): Subscription {
  return {
    id,
    status,
    maxInFlight: max_in_flight,
    maxPerSecond: max_per_second,
    isListener: listener !== null,
    types: new Set(JSON.parse(events) as string[]),
  }
}
