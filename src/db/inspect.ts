import { join } from 'node:path'
import { sql } from 'kysely'
import type { HostRole } from '../config/database-url.ts'
import { type Millis, systemClock } from '../core/clock.ts'
import type { Engine } from './engine/engine.ts'
import type { Db } from './engine/handles.ts'
import { findSchema, isWithin } from './migrate.ts'
import { SCHEMA_VERSION } from './migrations/migrations.ts'
import type { ConnectionPath } from './postgres/connection-path.ts'
import type { Durability } from './postgres/durability.ts'
import type { HostAnswers } from './postgres/hosts.ts'
import type { StandbyAnswer } from './postgres/standby.ts'
import { damagedMessage, explainSqliteError } from './sqlite/errors.ts'
import { DATABASE_FILE, openSqlite } from './sqlite/sqlite.ts'

/** The location of a database. */
interface Store {
  dataDir: string
  databaseUrl: string | undefined
}

/** Facts about a database, which are read without changing it. */
export interface Inspection {
  engine: Engine['name']
  /** The schema's version; 0 where no migration has run. */
  version: number
  /** The oldest schema version whose program can use the database. */
  floor: number
  /** Whether the schema is from before the first release; a start refuses it. */
  isBeforeRelease: boolean
  meta: Map<string, string>
  /** The moment of the newest entry of the audit log. */
  newestEntry: Millis | undefined
  /** The plans of all organizations. */
  plans: string[]
  /** Organizations whose credit ledger is inconsistent; none in a sound database. */
  unsound: string[]
  /** The worker processes. */
  workers: { aliveUntil: Millis }[]
  /** The last update of each parked webhook's lane; a parked webhook gets one probe at a time. */
  parked: Millis[]
}

/**
 * Checks the connections to PostgreSQL: whether a pooler is in between, and whether notifications arrive by `directUrl`.
 * @throws the driver's error when one of the two cannot be reached
 */
export async function inspectConnectionPath(databaseUrl: string, directUrl: string): Promise<ConnectionPath> {
  return (await import('./postgres/connection-path.ts')).inspectConnectionPath(databaseUrl, directUrl)
}

/** Probes each host of an address for its role. */
export async function inspectHosts(databaseUrl: string, role: HostRole): Promise<HostAnswers> {
  return (await import('./postgres/hosts.ts')).probeHosts(databaseUrl, role)
}

/** Compares the standby for lists with its primary. */
export async function inspectStandby(databaseUrl: string, standbyUrl: string): Promise<StandbyAnswer> {
  return (await import('./postgres/standby.ts')).inspectStandby(databaseUrl, standbyUrl)
}

/**
 * Reads the settings and standbys of PostgreSQL that decide the durability of a commit.
 * @throws the driver's error when it cannot be reached
 */
export async function inspectDurability(databaseUrl: string): Promise<Durability> {
  return (await import('./postgres/durability.ts')).inspectDurability(databaseUrl)
}

/**
 * Inspects a database without migrating it.
 * @param isThorough whether every page of an embedded database is read
 * @throws the engine's error when it cannot be reached, Error in plain words when it is damaged
 */
export async function inspectDatabase(store: Store, { isThorough = false } = {}): Promise<Inspection> {
  const engine = await open(store)
  try {
    const { name, db } = engine
    const { dataDir } = store
    await sql`select 1 as one`.execute(db)
    if (isThorough && name === 'sqlite') await readEveryPage(db, join(dataDir, DATABASE_FILE))
    const tables = await engine.tables()
    if (!tables.has('migration'))
      return {
        engine: name,
        version: 0,
        floor: 0,
        isBeforeRelease: false,
        meta: new Map(),
        newestEntry: undefined,
        plans: [],
        unsound: [],
        workers: [],
        parked: [],
      }
    const meta = await db.selectFrom('meta').selectAll().execute()
    const newest = tables.has('audit')
      ? await db
          .selectFrom('audit')
          .select(({ fn }) => fn.max('created_at').as('at'))
          .executeTakeFirst()
      : undefined
    return {
      engine: name,
      ...(await findSchema(engine)),
      meta: new Map(meta.map(({ key, value }) => [key, value])),
      newestEntry: newest?.at ?? undefined,
      plans: tables.has('organization') ? await findPlans(db) : [],
      unsound: tables.has('ledger_entry') ? await findUnsound(db) : [],
      workers: tables.has('worker') ? await findWorkers(db) : [],
      parked: tables.has('lane') ? await findParked(db) : [],
    }
  } finally {
    await engine.close()
  }
}

/**
 * Runs a query on a database, and changes nothing.
 * @returns the answer; undefined where this program cannot use the schema
 * @throws the engine's error when it cannot be reached
 */
export async function queryStore<T>(store: Store, ask: (db: Db) => Promise<T>): Promise<T | undefined> {
  const engine = await open(store)
  try {
    const { version, floor, isBeforeRelease } = await findSchema(engine)
    const fits = version >= SCHEMA_VERSION && isWithin({ version, floor }, SCHEMA_VERSION) && !isBeforeRelease
    return fits ? await ask(engine.db) : undefined
  } finally {
    await engine.close()
  }
}

async function open({ dataDir, databaseUrl }: Store): Promise<Engine> {
  if (databaseUrl === undefined) return openSqlite(dataDir)
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(databaseUrl, { clock: systemClock, onConnectionError: () => {} })
}

/** @throws Error in plain words */
async function readEveryPage(db: Db, file: string): Promise<void> {
  const found = await sql<{ quick_check: string }>`pragma quick_check(1)`
    .execute(db)
    .catch((error: unknown) => Promise.reject(explainSqliteError(error, file)))
  const [first] = found.rows
  if (first?.quick_check !== 'ok')
    throw new Error(`${damagedMessage(file)} SQLite says: ${first?.quick_check}`)
}

async function findPlans(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('organization')
    .select('plan')
    .distinct()
    .where('deleted_at', 'is', null)
    .orderBy('plan')
    .execute()
  return rows.map(({ plan }) => plan)
}

/** Reads the worker processes. */
export function findWorkers(db: Db): Promise<Inspection['workers']> {
  return db.selectFrom('worker').select('alive_until as aliveUntil').orderBy('id').execute()
}

async function findParked(db: Db): Promise<Inspection['parked']> {
  const rows = await db
    .selectFrom('lane')
    .innerJoin('webhook', 'webhook.id', 'lane.webhook_id')
    .select('lane.updated_at as at')
    .where('lane.parked_at', 'is not', null)
    .where('webhook.status', '=', 'active')
    .execute()
  return rows.map(({ at }) => at)
}

/** Checks every ledger: no entry is missing, and the last balances equal the sums. */
async function findUnsound(db: Db): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select summed.organization_id
    from (
      select organization_id, count(*) as entries, max(sequence) as last,
        sum(cycle_amount) as cycle, sum(purchased_amount) as purchased
      from ledger_entry group by organization_id
    ) as summed
    join ledger_entry on ledger_entry.organization_id = summed.organization_id
      and ledger_entry.sequence = summed.last
    where summed.entries <> summed.last
      or summed.cycle <> ledger_entry.cycle_balance
      or summed.purchased <> ledger_entry.purchased_balance
    order by summed.organization_id`.execute(db)
  return rows.map(({ organization_id }) => organization_id)
}
