import { type ExpressionBuilder, sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Holdings, SHARDS, type Shard, type ShardStore } from './shard.ts'

interface ShardStoreDeps {
  database: Database
  /** Whose lanes they are: the queue under which the workers of the kind are there. */
  queue: string
  /** The lanes of which a worker has claimed anything, as the table of the kind has it. */
  claimedLanes: ShardStore['claimedLanes']
}

/** The shards of one queue, for the engine and for the store of the kind. */
export interface ShardTable extends ShardStore {
  /** The numbers of all that a worker owns. */
  ownedBy(tx: Tx, workerId: string): Promise<Set<number>>
  /** Leaves all that a worker owns to whoever takes it, in the transaction in which it ends. */
  leave(tx: Tx, workerId: string): Promise<void>
}

/** Who owns which lanes, in the table. By the connections that wait for nothing else: a shard without an owner begins nothing. */
export function createShardStore({ database, queue, claimedLanes }: ShardStoreDeps): ShardTable {
  const { reserved, skipLocked } = database

  function read(): Promise<Shard[]> {
    return reserved.db
      .selectFrom('shard')
      .select(['number', 'owner', 'generation'])
      .where('queue', '=', queue)
      .orderBy('number')
      .execute()
  }

  /** The shards of a queue are there from when it is asked about them first. */
  async function readAll(): Promise<Shard[]> {
    const found = await read()
    if (found.length === SHARDS) return found
    const rows = Array.from({ length: SHARDS }, (_, number) => ({
      queue,
      number,
      owner: null,
      generation: 0,
    }))
    await reserved.tx((tx) =>
      tx
        .insertInto('shard')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )
    return read()
  }

  const asSeen = (shards: Shard[]) => (eb: ExpressionBuilder<Tables, 'shard'>) =>
    eb.or(
      shards.map(({ number, generation }) =>
        eb.and([eb('number', '=', number), eb('generation', '=', generation)]),
      ),
    )

  const change = (tx: Tx, owner: string | null) =>
    tx.updateTable('shard').set({ owner, generation: sql`generation + 1` }).where('queue', '=', queue)

  return {
    async readHoldings(now: Millis): Promise<Holdings> {
      // In this order: an owner of a shard is among the workers, or it is no more.
      const shards = await readAll()
      const workers = await reserved.db.selectFrom('worker').selectAll().where('queue', '=', queue).execute()
      return {
        shards,
        peers: workers.map(({ id, alive_until, retired }) => ({
          id,
          isEntitled: retired === 0 && alive_until > now,
        })),
      }
    },

    async takeShards(workerId, shards) {
      if (shards.length === 0) return []
      return reserved.tx(async (tx) => {
        const seen = tx
          .selectFrom('shard')
          .select('number')
          .where('queue', '=', queue)
          .where(asSeen(shards))
          .orderBy('number')
        const free = await skipLocked(seen).execute()
        if (free.length === 0) return []
        const taken = await change(tx, workerId)
          .where(
            'number',
            'in',
            free.map(({ number }) => number),
          )
          // Whoever was taken for dead meanwhile takes nothing under that name.
          .where(({ exists, selectFrom }) =>
            exists(selectFrom('worker').select('id').where('id', '=', workerId).where('retired', '=', 0)),
          )
          .returning('number')
          .execute()
        return taken.map(({ number }) => number).sort((a, b) => a - b)
      })
    },

    async releaseShards(workerId, shards) {
      if (shards.length === 0) return
      await reserved.tx((tx) =>
        change(tx, null).where('owner', '=', workerId).where(asSeen(shards)).execute(),
      )
    },

    async retire(workerId) {
      await reserved.tx((tx) =>
        tx.updateTable('worker').set({ retired: 1 }).where('id', '=', workerId).execute(),
      )
    },

    claimedLanes,

    async ownedBy(tx, workerId) {
      const rows = await tx
        .selectFrom('shard')
        .select('number')
        .where('queue', '=', queue)
        .where('owner', '=', workerId)
        .execute()
      return new Set(rows.map(({ number }) => number))
    },

    async leave(tx, workerId) {
      await change(tx, null).where('owner', '=', workerId).execute()
    },
  }
}
