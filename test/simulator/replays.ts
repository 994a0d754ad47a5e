import type { Millis } from '#src/core/clock.ts'
import { type Id, idFloor, momentOf } from '#src/core/id.ts'
import { HORIZON } from '#src/delivery/attempt/schedule.ts'
import type { Bug } from './bugs.ts'
import type { Disk, NewId, Row } from './store.ts'

/** A replay's row on the model disk. */
export interface Replay {
  id: Id<'replay'>
  /** Null where it is of all webhooks, one after the other. */
  webhookId: Id<'webhook'> | null
  /** The webhook that it is at; '' before the first. */
  at: Id<'webhook'> | ''
  since: Millis
  until: Millis
  filter: 'failed' | 'delivered' | 'all' | 'pending' | 'undelivered'
  status: 'running' | 'completed' | 'cancelled'
  position: string
  replayed: number
  /**
   * The deliveries that it covered when it was made, each with the newest delivery of its event at that time; for later checks.
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

/** The status of what each filter has made again; what waits is made due by the last two. */
const ENDED: Record<Replay['filter'], Row['status'][]> = {
  failed: ['failed'],
  delivered: ['delivered'],
  all: ['delivered', 'failed'],
  pending: [],
  undelivered: ['failed'],
}

/** Whether a delivery has ended as a replay asks for. */
export function isWanted({ filter }: Pick<Replay, 'filter'>, { status }: Row): boolean {
  return ENDED[filter].includes(status)
}

/** Whether a delivery waits, and is to be made due. */
function isWaiting({ filter }: Pick<Replay, 'filter'>, { status }: Row): boolean {
  return status === 'pending' && (filter === 'pending' || filter === 'undelivered')
}

/** Whether a delivery was made in a replay's period and has the status that it asks for; ids are ordered by time. */
export function isAsked(replay: Omit<Replay, 'sources'>, row: Row): boolean {
  return isOfTime(replay, row) && isWanted(replay, row)
}

function isOfTime(replay: Omit<Replay, 'sources'>, row: Row): boolean {
  return (
    (replay.webhookId === null || row.laneId === replay.webhookId) &&
    !row.sample &&
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

/** The deliveries that a replay repeats: one for each event, where the event's newest delivery has that status too. */
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

/** The moment that orders a delivery behind all others of its event, as in `delivery-row.ts`. */
export function orderAfter(newest: Row | undefined, now: Millis): Millis {
  return newest === undefined ? now : Math.max(now, momentOf(newest.id) + 1)
}

/** A delivery of the same event with a new schedule, as `newDeliveryRow` makes it. */
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

/** The next webhook that has something of a replay's time. */
function nextWebhook(disk: Disk, replay: Replay): Id<'webhook'> | undefined {
  if (replay.webhookId !== null) return undefined
  const has = (id: string) =>
    disk.rows
      .values()
      .some((row) => row.laneId === id && isOfTime({ ...replay, at: '' }, { ...row, sample: false }))
  return [...disk.webhooks.values()]
    .filter(({ id, status }) => status !== 'deleted' && id > replay.at && has(id))
    .map(({ id }) => id)
    .sort()[0]
}

/** One step of each running replay: its deliveries and its position move together. */
export function stepReplays({ disk, newId, step, bug }: StepDeps, now: Millis): Id<'webhook'>[] {
  const running = [...disk.replays.values()]
    .filter(({ status }) => status === 'running')
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const webhooks: Id<'webhook'>[] = []
  for (const replay of running) {
    const webhook = replay.at === '' ? undefined : disk.webhooks.get(replay.at)
    const isThere = webhook !== undefined && webhook.status !== 'deleted'
    const newest = newestOf(disk.rows.values())
    const waiting = [...disk.rows.values()].filter((row) => isOfTime(replay, row) && isWaiting(replay, row))
    const found = [...waiting, ...sourcesOf(disk, replay, bug)]
      .filter((row) => isThere && row.laneId === replay.at && row.id > replay.position)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, step)
    const last = found.at(-1)
    if (last === undefined) {
      const next = nextWebhook(disk, replay)
      if (next === undefined) replay.status = 'completed'
      else {
        Object.assign(replay, { at: next, position: '' })
        webhooks.push(next)
      }
      continue
    }
    // Claimed deliveries are left to their attempt.
    const due = found.filter(({ status, claim }) => status === 'pending' && claim === null)
    for (const row of due) Object.assign(row, { due: Math.min(row.due ?? now, now), updatedAt: now })
    const sources = found.filter(({ status }) => status !== 'pending')
    // A replay never covers its own deliveries, however the clock was set.
    const order = sources.map((source) => orderAfter(newest.get(pairOf(source)), now))
    const moment = bug === 'replay of its own deliveries' ? now : Math.max(now, replay.until, ...order)
    for (const source of sources) {
      const id = newId('delivery', moment)
      disk.rows.set(id, again(source, id, now, { replay: replay.id, source: source.id }))
    }
    replay.replayed += due.length + sources.length
    // Under the planted bug a second commit without deliveries is skipped, because it would repeat forever.
    if (bug !== 'replay in two commits' || sources.length === 0) replay.position = last.id
    webhooks.push(last.laneId)
  }
  return webhooks
}

/** The second commit of the planted bug: what the first one made is passed over, unless a crash comes between. */
export function moveReplays(disk: Disk): void {
  for (const replay of disk.replays.values())
    for (const { madeOf } of disk.rows.values())
      if (madeOf?.replay === replay.id && madeOf.source > replay.position) replay.position = madeOf.source
}
