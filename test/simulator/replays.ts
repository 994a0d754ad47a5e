import type { Millis } from '../../src/core/clock.ts'
import { type Id, idFloor } from '../../src/core/id.ts'
import { HORIZON } from '../../src/webhooks/retry.ts'
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
  /** What it asked for when it was made; for whoever looks afterwards. */
  sources: Set<Id<'delivery'>>
}

interface StepDeps {
  disk: Disk
  newId: NewId
  /** Deliveries that one step makes. */
  step: number
  bug: Bug | undefined
}

/** Whether a delivery is one that a replay makes again; ids are ordered by the moment that they were made at. */
export function isSource({ webhookId, since, until, filter }: Replay, row: Row): boolean {
  const isWanted = filter === 'all' ? row.status !== 'pending' : row.status === filter
  return (
    row.webhookId === webhookId &&
    isWanted &&
    row.id >= idFloor('delivery', since) &&
    row.id < idFloor('delivery', until)
  )
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
    const sources = [...disk.rows.values()]
      .filter((row) => row.id > replay.position && isSource(replay, row))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, step)
    const last = sources.at(-1)
    if (last === undefined) {
      replay.status = 'completed'
      continue
    }
    // What it makes is never among what it is to make, wherever the clock has been set.
    const moment = bug === 'replay of its own deliveries' ? now : Math.max(now, replay.until)
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
