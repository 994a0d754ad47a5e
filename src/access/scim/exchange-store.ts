import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Id } from '../../core/id.ts'
import type { Database, Tx } from '../../db/database.ts'
import { type Columns, preparedListInsert } from '../../db/engine/lists.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Exchange } from './exchange.ts'

type Organization = Id<'organization'>
type Row = Tables['scim_exchange']

/** The kept rows of an organization, and the further ones that are written before the oldest are removed. */
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

  /** The organizations of API keys, by the hashes of their secrets, also of expired ones. */
  async function findOwners(keyHashes: string[]): Promise<Map<string, Organization>> {
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
          .where('api_key_secret.key_hash', 'in', keyHashes),
      )
      .execute()
    return new Map(found.map(({ key_hash, organization_id }) => [key_hash, organization_id]))
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
      const owners = await findOwners([...new Set(hashes)])
      const rows = exchanges.flatMap(({ owner, ...exchange }): Row[] => {
        const organization_id = 'keyHash' in owner ? owners.get(owner.keyHash) : owner.organizationId
        return organization_id === undefined ? [] : [{ organization_id, ...exchange }]
      })
      if (rows.length === 0) return
      const due = dueOf(rows)
      // A power cut may lose these rows.
      await database.relaxed(async (tx) => {
        await insert(tx, rows)
        for (const organizationId of due) await trim(tx, organizationId)
      })
    },
  }
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
