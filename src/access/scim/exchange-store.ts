import { sql } from 'kysely'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { HOUR, type Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { type Database, noteChanges, type Tx } from '../../db/database.ts'
import { type Columns, preparedListInsert } from '../../db/engine/lists.ts'
import { isDue } from '../../db/plausible-time.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Exchange } from './exchange.ts'

type Organization = Id<'organization'>
type Row = Tables['scim_exchange']

/** The number of rows that an organization keeps, and of further rows after which the oldest are removed. */
const [KEPT, TRIM_EVERY] = [500, 100]
/** The most organizations whose written rows are counted. */
const MOST_COUNTED = 10_000

/** Stores exchanges. */
export interface ExchangeStore {
  /** Exchanges with an unknown owner are omitted. */
  append(exchanges: Exchange[]): Promise<void>
}

const COLUMNS: Columns<Row> = {
  organization_id: 'text',
  id: 'text',
  method: 'text',
  path: 'text',
  status: 'integer',
  code: 'text',
  scim_type: 'text',
  detail: 'text',
  resource_id: 'text',
  duration: 'integer',
  created_at: 'integer',
}

const insert = preparedListInsert('scim_exchange', COLUMNS)

export function createExchangeStore(database: Database): ExchangeStore {
  /** Rows written since the last removal; undefined: unknown. */
  const written = createBoundedMap<Organization, number>(MOST_COUNTED)

  /** The organizations of API keys, by the hashes of present and former secrets, also of expired keys. */
  async function findOwners(keyHashes: string[], now: Millis): Promise<Map<string, Organization>> {
    if (keyHashes.length === 0) return new Map()
    const { db } = database
    const found = await db
      .selectFrom('api_key')
      .select(['key_hash', 'organization_id'])
      .where('key_hash', 'in', keyHashes)
      .unionAll(
        db
          .selectFrom('api_key_secret')
          .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
          .select(['api_key_secret.key_hash', 'api_key.organization_id'])
          .where('api_key_secret.key_hash', 'in', keyHashes)
          .where('api_key_secret.expires_at', '>', now),
      )
      .execute()
    return new Map(found.map(({ key_hash, organization_id }) => [key_hash, organization_id]))
  }

  /** The requests with secrets whose overlap has ended, one for each secret that is due to be recorded. */
  async function findRetired(exchanges: Exchange[], now: Millis): Promise<Retired[]> {
    const byHash = new Map(
      exchanges.flatMap((exchange) =>
        'keyHash' in exchange.owner ? [[exchange.owner.keyHash, exchange] as const] : [],
      ),
    )
    if (byHash.size === 0) return []
    const found = await database.db
      .selectFrom('retired_secret')
      .select(['key_hash', 'organization_id'])
      .where('key_hash', 'in', [...byHash.keys()])
      .where('ended_at', '<=', now)
      .where(isNotRecorded(now))
      // All processes lock in one order.
      .orderBy('key_hash')
      .execute()
    return found.flatMap(({ key_hash, organization_id }) => {
      const exchange = byHash.get(key_hash)
      return exchange === undefined ? [] : [{ key_hash, organization_id, exchange }]
    })
  }

  /** Organizations whose oldest rows are removed in this write, sorted so that all processes lock in one order. */
  function dueOf(rows: Row[]): Organization[] {
    const due: Organization[] = []
    for (const [id, own] of Map.groupBy(rows, (row) => row.organization_id)) {
      const count = (written.get(id) ?? TRIM_EVERY) + own.length
      written.set(id, count > TRIM_EVERY ? 0 : count)
      if (count > TRIM_EVERY) due.push(id)
    }
    return due.sort()
  }

  return {
    async append(exchanges) {
      const hashes = exchanges.flatMap(({ owner }) => ('keyHash' in owner ? owner.keyHash : []))
      const now = Math.max(...exchanges.map(({ created_at }) => created_at))
      const owners = await findOwners([...new Set(hashes)], now)
      const rows = exchanges.flatMap(({ owner, ...exchange }): Row[] => {
        const organization_id = 'keyHash' in owner ? owners.get(owner.keyHash) : owner.organizationId
        return organization_id === undefined ? [] : [{ organization_id, ...exchange }]
      })
      const retired = await findRetired(
        exchanges.filter(({ owner }) => 'keyHash' in owner && !owners.has(owner.keyHash)),
        now,
      )
      if (rows.length + retired.length === 0) return
      const due = dueOf(rows.concat(retired.map(rowOf)))
      // A power cut may lose these rows.
      await database.relaxed(async (tx) => {
        const noted: Row[] = []
        for (const one of retired) if (await noteRefused(tx, one, now)) noted.push(rowOf(one))
        const all = rows.concat(noted)
        if (all.length > 0) await insert(tx, all)
        noteChanges(tx, 'scimExchange', all)
        for (const organizationId of due) await trim(tx, organizationId)
      })
    },
  }
}

/** A request with a secret whose overlap has ended. */
interface Retired {
  organization_id: Organization
  key_hash: string
  exchange: Exchange
}

/** At most one request with a retired secret is recorded in this time, because its holder is not trusted and must not fill the record. */
const RETIRED_EVERY: Millis = HOUR
const REPLACED = 'This secret was replaced, and its overlap has ended.'

const rowOf = ({ organization_id, exchange: { owner: _, ...exchange } }: Retired): Row => ({
  ...{ organization_id, ...exchange, detail: REPLACED },
})

const isNotRecorded = (now: Millis) =>
  sql<boolean>`(refused_at is null or ${isDue('refused_at', now - RETIRED_EVERY, RETIRED_EVERY)})`

/** @returns whether to record the request: only one of several processes gets true */
async function noteRefused(tx: Tx, { key_hash }: Retired, now: Millis): Promise<boolean> {
  const noted = await tx
    .updateTable('retired_secret')
    .set({ refused_at: now })
    .where('key_hash', '=', key_hash)
    .where(isNotRecorded(now))
    .returning('key_hash')
    .executeTakeFirst()
  return noted !== undefined
}

async function trim(tx: Tx, organizationId: Organization): Promise<void> {
  await tx
    .deleteFrom('scim_exchange')
    .where('organization_id', '=', organizationId)
    .where('id', '<', (where) =>
      where
        .selectFrom('scim_exchange as newer')
        .select('newer.id')
        .where('newer.organization_id', '=', organizationId)
        .orderBy('newer.id', 'desc')
        .limit(1)
        .offset(KEPT - 1),
    )
    .execute()
}
