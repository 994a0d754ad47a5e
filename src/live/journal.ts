import { sql } from 'kysely'
import { MINUTE, type Millis, SKEW } from '../core/clock.ts'
import type { Id, Kind } from '../core/id.ts'
import type { Database, Tx } from '../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../db/engine/lists.ts'
import { lock } from '../db/locking.ts'
import type { Tables } from '../db/tables/tables.ts'
import type { LiveKind, LiveRow, LiveView } from './live-kinds.ts'

type Organization = Id<'organization'>
type Change = Tables['stream_change']

/** How long changes are kept, and still written after an organization's last reader has left. */
export const KEPT: Millis = 5 * MINUTE
/** Most changes of one organization that are kept. */
const MOST_KEPT = 5_000
/** Changes after which old ones are removed. */
const TRIM_EVERY = 500

/** Changed rows of organizations with their kinds; `gap` where changes are missing. */
export type Batch = Map<Organization, Map<Id<Kind> | 'gap', LiveKind | 'gap'>>

/** The changes of an organization after a position. */
export interface Part {
  last: number
  /** The position up to which changes have been removed. */
  floor: number
  changes: Pick<Change, 'sequence' | 'kind' | 'about' | 'data'>[]
}

/** The stored changes of watched organizations, in the form that readers get. */
export interface Journal {
  /** Starts recording the changes of an organization. @returns the position of the last one */
  watch(organizationId: Organization, now: Millis): Promise<Pick<Part, 'last' | 'floor'>>
  /** Writes changes. @returns the organizations with new changes */
  append(batch: Batch, now: Millis): Promise<Organization[]>
  /** At most `most` changes after a position, in order. */
  read(organizationId: Organization, after: number, most: number): Promise<Part>
  /** The organizations with readers in any process. */
  watched(now: Millis): Promise<Organization[]>
  /**
   * Marks a gap in the streams of all organizations, because changes that a killed process had not written are lost.
   */
  markGapInAll(): Promise<void>
  /** Removes expired changes. */
  clear(now: Millis): Promise<void>
}

const COLUMNS: Columns<Change> = {
  organization_id: 'text',
  subject_id: 'text',
  sequence: 'integer',
  kind: 'text',
  about: 'text',
  data: 'text',
  at: 'integer',
}

/**
 * Keeps only the last change of each row, and skips one that shows the same as before: no reader gets a change twice,
 * or an older one.
 */
const upsert = preparedForList<Change, Pick<Change, 'organization_id'>>(COLUMNS, (db, list) =>
  sql<Pick<Change, 'organization_id'>>`
    insert into stream_change (${namesOf(COLUMNS)}) ${list}
    on conflict (organization_id, subject_id) do update set
      sequence = excluded.sequence, about = excluded.about, data = excluded.data, at = excluded.at
    where stream_change.data <> excluded.data
    returning organization_id`.compile(db),
)

/** @param views the view of each kind */
export function createJournal(database: Database, views: Map<LiveKind, LiveView>): Journal {
  const { db } = database

  async function show(tx: Tx, batch: Batch, now: Millis): Promise<Map<string, LiveRow & { kind: LiveKind }>> {
    const idsOf = new Map<LiveKind, Id<Kind>[]>()
    for (const rows of batch.values())
      for (const [id, kind] of rows)
        if (id !== 'gap' && kind !== 'gap') idsOf.set(kind, [...(idsOf.get(kind) ?? []), id])
    const shown = new Map<string, LiveRow & { kind: LiveKind }>()
    for (const [kind, ids] of idsOf)
      for (const one of (await views.get(kind)?.show(tx, ids, now)) ?? []) shown.set(one.id, { ...one, kind })
    return shown
  }

  return {
    watch: (organization_id, now) =>
      database.tx(async (tx) => {
        const fresh = { organization_id, last: 0, floor: 0, watched_until: 0 }
        await tx
          .insertInto('stream')
          .values(fresh)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const row = await lock(
          tx,
          tx.selectFrom('stream').selectAll().where('organization_id', '=', organization_id),
        ).executeTakeFirstOrThrow()
        const { last, floor } = row
        if (row.watched_until > now + KEPT / 2) return { last, floor }
        // Without readers nothing is recorded: a reader that returns from an earlier time has missed changes.
        const isNew = row.watched_until <= now
        const places = isNew ? { last: last + 1, floor: last + 1 } : { last, floor }
        await tx
          .updateTable('stream')
          .set({ ...places, watched_until: now + KEPT })
          .where('organization_id', '=', organization_id)
          .execute()
        return places
      }),

    append: (batch, now) =>
      database.background.tx(async (tx) => {
        const streams = await lock(
          tx,
          tx
            .selectFrom('stream')
            .select(['organization_id', 'last'])
            .where('organization_id', 'in', [...batch.keys()])
            .where('watched_until', '>', now - 2 * SKEW)
            .orderBy('organization_id'),
        ).execute()
        // Read after the lock: a later position has later data.
        const shown = await show(tx, batch, now)
        const rows: Change[] = []
        for (const stream of streams) {
          const { organization_id } = stream
          let sequence = Number(stream.last)
          for (const id of batch.get(organization_id)?.keys() ?? []) {
            const place = { organization_id, subject_id: id, sequence: sequence + 1, at: now }
            if (id === 'gap') rows.push({ ...place, kind: 'gap', about: '', data: `{"at":${now}}` })
            const one = shown.get(id)
            if (one?.organization_id === organization_id)
              rows.push({ ...place, kind: one.kind, about: one.about, data: JSON.stringify(one.data) })
            sequence += 1
          }
          await trim(tx, organization_id, Number(stream.last), sequence, now)
        }
        const written = await upsert(tx, rows)
        return [...new Set(written.map(({ organization_id }) => organization_id))]
      }),

    async read(organizationId, after, most) {
      const rows = await db
        .selectFrom('stream')
        .leftJoin('stream_change', (join) =>
          join
            .onRef('stream_change.organization_id', '=', 'stream.organization_id')
            .on('stream_change.sequence', '>', after),
        )
        .select(['last', 'floor', 'sequence', 'kind', 'about', 'data'])
        .where('stream.organization_id', '=', organizationId)
        .orderBy('stream_change.sequence')
        .limit(most)
        .execute()
      const [first] = rows
      return {
        last: Number(first?.last ?? after),
        floor: Number(first?.floor ?? 0),
        changes: rows.flatMap(({ sequence, kind, about, data }) =>
          sequence === null || kind === null || about === null || data === null
            ? []
            : [{ sequence: Number(sequence), kind, about, data }],
        ),
      }
    },

    async watched(now) {
      const rows = await db
        .selectFrom('stream')
        .select('organization_id')
        .where('watched_until', '>', now - SKEW)
        .execute()
      return rows.map(({ organization_id }) => organization_id)
    },

    markGapInAll: () =>
      database.tx(async (tx) => {
        await tx
          .updateTable('stream')
          .set(({ eb, ref }) => ({ last: eb(ref('last'), '+', 1), floor: eb(ref('last'), '+', 1) }))
          .execute()
      }),

    async clear(now) {
      const old = await db
        .selectFrom('stream_change')
        .select('organization_id')
        .distinct()
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('stream')
              .select('stream.organization_id')
              .whereRef('stream.organization_id', '=', 'stream_change.organization_id')
              .where('watched_until', '<=', now - 2 * SKEW),
          ),
        )
        .limit(100)
        .execute()
      for (const { organization_id } of old)
        await database.background.tx(async (tx) => {
          // A reader may have come since: it gets all recorded changes.
          const stream = await lock(
            tx,
            tx.selectFrom('stream').select('watched_until').where('organization_id', '=', organization_id),
          ).executeTakeFirst()
          if (stream !== undefined && stream.watched_until > now - 2 * SKEW) return
          await tx.deleteFrom('stream_change').where('organization_id', '=', organization_id).execute()
        })
    },
  }
}

/** Advances a stream, and removes old and excess changes from time to time. */
async function trim(tx: Tx, id: Organization, before: number, last: number, now: Millis): Promise<void> {
  const isDue = Math.floor(before / TRIM_EVERY) !== Math.floor(last / TRIM_EVERY)
  const stream = tx.updateTable('stream').where('organization_id', '=', id)
  if (!isDue) return void (await stream.set({ last }).execute())
  const old = await tx
    .selectFrom('stream_change')
    .select(({ fn }) => fn.max('sequence').as('sequence'))
    .where('organization_id', '=', id)
    .where('at', '<=', now - KEPT)
    .executeTakeFirst()
  const end = Math.max(Number(old?.sequence ?? 0), last - MOST_KEPT)
  await tx
    .deleteFrom('stream_change')
    .where('organization_id', '=', id)
    .where('sequence', '<=', end)
    .execute()
  await stream
    .set(({ eb, ref }) => ({
      last,
      floor: eb.case().when(ref('floor'), '<', end).then(end).else(ref('floor')).end(),
    }))
    .execute()
}
