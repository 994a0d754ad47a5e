import type { Millis } from '#src/core/clock.ts'
import { type Id, idFloor, momentOf } from '#src/core/id.ts'
import { HORIZON } from '#src/delivery/attempt/retry.ts'
import type { Bug } from './bugs.ts'
import type { Disk, NewId, Row } from './store.ts'

/** A replay as the disk has it. */
export interface Replay {
  id: Id<'replay'>
  webhookId: Id<'webhook'>
  since: Millis
  until: Millis
  filter: 'failed' | 'delivered' | 'all'
  status: 'running' | 'completed' | 'cancelled'
  position: string
  replayed: number
  /**
   * What it asked for when it was made, each with the newest delivery that there was then of its event; for whoever looks
   * afterwards.
   */
  sources: Map<Id<'delivery'>, Id<'delivery'>>
}

interface StepDeps {
  disk: Disk
  newId: NewId
  /** Deliveries that one step makes. */
  step: number
  bug: Bug | undefined
}

/** Whether a delivery has ended as a replay asks for. */
export function isWanted({ filter }: Pick<Replay, 'filter'>, { status }: Row): boolean {
  return filter === 'all' ? status !== 'pending' : status === filter
}

/** Whether a delivery is of a replay's time, and ended as it asks for; ids are ordered by the moment of their making. */
export function isAsked(replay: Omit<Replay, 'sources'>, row: Row): boolean {
  return (
    row.laneId === replay.webhookId &&
    !row.sample &&
    isWanted(replay, row) &&
    row.id >= idFloor('delivery', replay.since) &&
    row.id < idFloor('delivery', replay.until)
  )
}

/** An event at a webhook; deliveries of one are made one after the other. */
export const pairOf = ({ laneId, eventId }: Row) => `${laneId} ${eventId}`

/** The newest delivery of each event to each webhook. */
export function newestOf(rows: Iterable<Row>): Map<string, Row> {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const pair = pairOf(row)
    if (row.id > (newest.get(pair)?.id ?? '')) newest.set(pair, row)
  }
  return newest
}

/** What a replay makes again: of those that it asks for one an event, where the newest has ended so as well. */
export function sourcesOf(disk: Disk, replay: Omit<Replay, 'sources'>, bug?: Bug): Row[] {
  const rows = [...disk.rows.values()]
  const newest = newestOf(rows)
  const asked = rows.filter((row) => isAsked(replay, row))
  const latest = newestOf(asked)
  return asked
    .filter((row) => latest.get(pairOf(row)) === row)
    .filter(
      (row) => bug === 'replay of what has recovered' || isWanted(replay, newest.get(pairOf(row)) ?? row),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The moment by which a delivery is ordered after all others of its event, as `again.ts` has it. */
export function orderAfter(newest: Row | undefined, now: Millis): Millis {
  return newest === undefined ? now : Math.max(now, momentOf(newest.id) + 1)
}

/** A delivery of the same event with a schedule of its own, as `again.ts` makes it. */
export function again(source: Row, id: Id<'delivery'>, now: Millis, madeOf: Row['madeOf'] = null): Row {
  return {
    ...source,
    id,
    attempts: 0,
    dueAt: now,
    horizon: now + HORIZON,
    status: 'pending',
    reason: null,
    due: now,
    claim: null,
    recorded: [],
    updatedAt: now,
    madeOf,
  }
}

/** One step of each running replay: its deliveries and its position move together. */
export function stepReplays(
  { disk, newId, step, bug }: StepDeps,
  now: Millis,
): { webhooks: Id<'webhook'>[] } {
  const running = [...disk.replays.values()]
    .filter(({ status }) => status === 'running')
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const webhooks: Id<'webhook'>[] = []
  for (const replay of running) {
    const newest = newestOf(disk.rows.values())
    const sources = sourcesOf(disk, replay, bug)
      .filter((row) => row.id > replay.position)
      .slice(0, step)
    const last = sources.at(-1)
    if (last === undefined) {
      replay.status = 'completed'
      continue
    }
    // What it makes is never among what it is to make, wherever the clock has been set.
    const order = sources.map((source) => orderAfter(newest.get(pairOf(source)), now))
    const moment = bug === 'replay of its own deliveries' ? now : Math.max(now, replay.until, ...order)
    for (const source of sources) {
      const id = newId('delivery', moment)
      disk.rows.set(id, again(source, id, now, { replay: replay.id, source: source.id }))
    }
    replay.replayed += sources.length
    if (bug !== 'replay in two commits') replay.position = last.id
    webhooks.push(replay.webhookId)
  }
  return { webhooks }
}

/** The second commit of the planted bug: what the first one made is passed over, unless a crash comes between. */
export function moveReplays(disk: Disk): void {
  for (const replay of disk.replays.values())
    for (const { madeOf } of disk.rows.values())
      if (madeOf?.replay === replay.id && madeOf.source > replay.position) replay.position = madeOf.source
}
