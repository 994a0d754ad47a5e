import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { preparedForList } from '../../db/engine/lists.ts'
import type { Parameter } from '../../db/engine/prepared.ts'
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

/** What organizations asked for when it was read last, to be held against what they ask for when it is acted on. */
export interface Assumed {
  organizationId: Id<'organization'>
  /** A digest of it. */
  digest: string
}

/** The webhooks of organizations, paused ones included, in the order of their making. */
export interface Found {
  of: Map<Id<'organization'>, Subscription[]>
  /** Remembered lists that other processes may have changed: the statement that writes compares them with the table. */
  assumed: Assumed[]
}

/** Which webhooks ask for what, by organization. */
export interface Subscriptions {
  find(tx: Tx, organizationIds: Id<'organization'>[]): Promise<Found>
  /** Must follow the commit of every change to an organization's webhooks, and whatever shows that what is assumed is wrong. */
  forget(organizationId: Id<'organization'>): void
}

type Row = Pick<
  Tables['webhook'],
  'id' | 'organization_id' | 'status' | 'max_in_flight' | 'max_per_second' | 'events'
>

const COLUMNS = sql`id, organization_id, status, max_in_flight, max_per_second, events`
/** All that publishing sees of a webhook, as one text: the server writes it both times. */
const LINE = sql<string>`concat_ws(' ', id, status, max_in_flight, max_per_second, events)`

const byOrganization = <Answer>(columns: RawBuilder<unknown>) =>
  // Of all at once: each statement is a journey, for which a commit would wait.
  preparedForList<Pick<Row, 'organization_id'>, Answer>({ organization_id: 'text' }, (db, list) =>
    sql<Answer>`
      select ${columns} from webhook
      where organization_id in (${list}) and status != ${literal('deleted')}
      order by id`.compile(db),
  )

const selectSubscriptions = byOrganization<Row>(COLUMNS)
const selectWithLines = byOrganization<Row & { line: string }>(sql`${COLUMNS}, ${LINE} as line`)

/** Whether organizations still ask for what is assumed; only where a parameter may be a list. */
export function areAsAssumed(value: Parameter<AssumedLists>): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from unnest(${value('organizations')}::text[], ${value('digests')}::text[]) as assumed (organization_id, digest)
    where assumed.digest is distinct from (
      select encode(sha256(convert_to(coalesce(string_agg(${LINE}, ${literal('\n')} order by id), ''), 'UTF8')), 'hex')
      from webhook where webhook.organization_id = assumed.organization_id and status != ${literal('deleted')}
    )
  )`
}

/** The parameters of `areAsAssumed`. */
interface AssumedLists {
  organizations: Id<'organization'>[]
  digests: string[]
}

function digestOf(lines: string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
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
    const rows = isChecked ? await selectWithLines(tx, list) : await selectSubscriptions(tx, list)
    const byOwner = Map.groupBy<Id<'organization'>, Row & { line?: string }>(
      rows,
      (row) => row.organization_id,
    )
    const read = new Map(organizationIds.map((id) => [id, toKnown(byOwner.get(id) ?? [])]))
    // Only what has been committed may be remembered.
    if (!shared || isChecked)
      afterCommit(tx, () => {
        for (const [id, one] of read)
          if (!isChecked || one.subscriptions.length <= MOST_ASSUMED) known.set(id, one)
      })
    return new Map([...read].map(([id, { subscriptions }]) => [id, subscriptions]))
  }

  function toKnown(rows: (Row & { line?: string })[]): Known {
    const subscriptions = rows.map(toSubscription)
    return isChecked
      ? { subscriptions, digest: digestOf(rows.map(({ line = '' }) => line)) }
      : { subscriptions }
  }

  return {
    async find(tx, organizationIds) {
      const found: Found = { of: new Map(), assumed: [] }
      const unknown: Id<'organization'>[] = []
      for (const organizationId of organizationIds) {
        const one = known.get(organizationId)
        if (one === undefined) {
          unknown.push(organizationId)
          continue
        }
        found.of.set(organizationId, one.subscriptions)
        if (one.digest !== undefined) found.assumed.push({ organizationId, digest: one.digest })
      }
      if (unknown.length > 0) for (const [id, read] of await readAll(tx, unknown)) found.of.set(id, read)
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
