import { sql } from 'kysely'
import { type Clock, DAY, MINUTE, type Millis } from './core/clock.ts'
import { idFloor, type Kind } from './core/id.ts'
import { LIFETIME } from './core/limits.ts'
import type { Database } from './db/database.ts'

/** Rows of one table that nobody needs any more. */
interface Litter {
  table: string
  key: string
  /** Rows whose `column` is not after `before(now)` go. */
  column: string
  before: (now: Millis) => Millis | string
  /** What else must be true of them. */
  and?: string
}

/** Rows that go in one step: small, so that nobody waits for it noticeably. */
const STEP = 200
const EVERY: Millis = MINUTE

function litter(retentionDays: number): Litter[] {
  // Ids are ordered by time, so that the primary key finds what is old.
  const retention = (kind: Kind) => (now: Millis) => idFloor(kind, now - retentionDays * DAY)
  const expired = (now: Millis) => now
  return [
    { table: 'session', key: 'id', column: 'expires_at', before: expired },
    { table: 'session', key: 'id', column: 'last_seen_at', before: (now) => now - LIFETIME.sessionIdle },
    { table: 'one_time_token', key: 'token_hash', column: 'expires_at', before: expired },
    { table: 'social_state', key: 'state_hash', column: 'expires_at', before: expired },
    { table: 'connection_state', key: 'state_hash', column: 'expires_at', before: expired },
    { table: 'sign_in_throttle', key: 'email_hash', column: 'updated_at', before: (now) => now - DAY },
    { table: 'rate_window', key: 'key', column: 'expires_at', before: expired },
    {
      table: 'idempotency',
      key: 'key',
      column: 'created_at',
      before: (now) => now - LIFETIME.idempotencyKey,
    },
    { table: 'mail', key: 'id', column: 'id', before: retention('mail'), and: `status <> 'queued'` },
    // Attempts go with their delivery. What still waits, however old, stays.
    {
      table: 'delivery',
      key: 'id',
      column: 'id',
      before: retention('delivery'),
      and: `(status in ('delivered', 'failed') or webhook_id in (select id from webhook where status = 'deleted'))`,
    },
    { table: 'capture', key: 'id', column: 'id', before: retention('capture') },
    {
      table: 'checkout',
      key: 'id',
      column: 'expires_at',
      before: (now) => now - retentionDays * DAY,
      and: `status in ('open', 'expired') and not exists (select 1 from subscription where subscription.checkout_id = checkout.id)`,
    },
    // What they took stands in the ledger, which is kept for ever.
    {
      table: 'reservation',
      key: 'id',
      column: 'id',
      before: retention('reservation'),
      and: `status <> 'held'`,
    },
    { table: 'replay', key: 'id', column: 'id', before: retention('replay'), and: `status <> 'running'` },
    {
      table: 'event',
      key: 'id',
      column: 'id',
      before: retention('event'),
      and: 'not exists (select 1 from delivery where delivery.event_id = event.id)',
    },
    {
      table: 'webhook',
      key: 'id',
      column: 'updated_at',
      before: (now) => now - retentionDays * DAY,
      and: `status = 'deleted' and not exists (select 1 from delivery where delivery.webhook_id = webhook.id)`,
    },
  ]
}

/** Keeps the database from growing for ever (decisions 4: retention). */
export interface Housekeeping {
  start(): void
  stop(): Promise<void>
}

export function createHousekeeping(deps: {
  database: Database
  clock: Clock
  retentionDays: number
  /** What else is due from time to time. */
  chores: (() => Promise<void>)[]
  log: { error(data: object, message: string): void }
}): Housekeeping {
  const { database, clock, retentionDays, chores, log } = deps
  const tables = litter(retentionDays)
  let stopped = false
  let cancel = () => {}
  let running: Promise<void> = Promise.resolve()

  async function sweep(): Promise<void> {
    for (const chore of chores) if (!stopped) await chore()
    for (const item of tables) {
      while (!stopped && (await removeSome(database, item, clock.now())) >= STEP);
    }
  }

  function schedule(): void {
    if (stopped) return
    cancel = clock.after(EVERY, () => {
      running = sweep().catch((error: unknown) => log.error({ err: error }, 'housekeeping'))
      void running.then(schedule)
    })
  }

  return {
    start: schedule,
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}

async function removeSome(database: Database, item: Litter, now: Millis): Promise<number> {
  const [table, key, column] = [item.table, item.key, item.column].map((name) => sql.ref(name))
  const condition = item.and === undefined ? sql`` : sql`and ${sql.raw(item.and)}`
  const { numAffectedRows } = await database.tx((tx) =>
    sql`delete from ${table} where ${key} in (
      select ${key} from ${table} where ${column} <= ${item.before(now)} ${condition} limit ${STEP}
    ) and ${column} <= ${item.before(now)}`.execute(tx),
  )
  return Number(numAffectedRows ?? 0)
}
