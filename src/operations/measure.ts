import { sql } from 'kysely'
import type { StreamState } from '../audit-streams/create-audit-streams.ts'
import { type Millis, SECOND } from '../core/clock.ts'
import { memoizeFor } from '../core/memoize.ts'
import type { Database } from '../db/database.ts'
import { readBacklog } from '../delivery/queue/backlog.ts'
import { countParked } from '../delivery/queue/lane-store.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Load } from '../jobs/lanes/lanes.ts'
import { countMails } from '../mail/outbox.ts'
import type { Problems } from '../problems/create-problems.ts'
import type { Shared } from '../shared/shared.ts'
import type { BackupState } from '../store/backup-state.ts'

/** Gauges of tables are cached for this time. */
const FRESH: Millis = 10 * SECOND

const OPEN_RUNS = ['queued', 'running', 'waiting']
/** The most runs that are counted. */
const MOST_RUNS = 10_000

/** Values of gauges that come from memory. */
export interface Measured {
  /** The delay of the oldest due delivery of this process. */
  lag: (now: Millis) => Millis
  /** Living workers that share the deliveries. */
  workers: () => number
  /** How long the thread that sends deliveries was busy since the last question. */
  sendingBusy: () => Millis
  /** The load of its places, by kind of job. */
  loads: () => Map<string, Load>
  jobs: Pick<Jobs, 'backlog'>
  problems: Problems['count']
  auditStreams: () => Promise<StreamState[]>
  /** The state of scheduled backups. */
  backups: () => Promise<BackupState>
}

/** Sets the gauges when metrics are requested. */
export interface Measure {
  /** Sets the gauges of this process. */
  process(): void
  /** Sets the gauges of the store. */
  stored(now: Millis): Promise<void>
}

export function createMeasure(
  { database, metrics }: Pick<Shared, 'database' | 'metrics'>,
  { lag, workers, sendingBusy, loads, jobs, problems, auditStreams, backups }: Measured,
): Measure {
  async function readTables(now: Millis): Promise<void> {
    const { oldestDueAt, ...states } = await readBacklog(database.background, now)
    for (const [state, count] of Object.entries(states)) metrics.deliveries.set({ state }, count)
    metrics.oldestDue.set(Math.max(lag(now), now - (oldestDueAt ?? now)) / SECOND)
    metrics.parkedWebhooks.set(await countParked(database.background.db, now))
    for (const [kind, { count }] of await problems({ now })) metrics.problems.set({ kind }, count)
    metrics.queuedMails.set(await countMails(database.background.db, 'queued'))
    const { last, failing } = await backups()
    // Without a backup there is no age; 0 would mean a new one.
    if (last === undefined) metrics.backupAge.remove()
    else metrics.backupAge.set((now - last.at) / SECOND)
    metrics.backupFailing.set((now - (failing?.since ?? now)) / SECOND)
    const runs = await countRuns(database.background)
    for (const status of OPEN_RUNS) metrics.openRuns.set({ status }, runs.get(status) ?? 0)
    // The series of deleted streams are removed.
    metrics.auditUnsent.reset()
    metrics.auditOldestUnsent.reset()
    metrics.auditFailing.reset()
    for (const { stream, count, oldestAt } of await auditStreams()) {
      const series = { stream: stream.id }
      metrics.auditUnsent.set(series, count)
      metrics.auditOldestUnsent.set(series, (now - (oldestAt ?? now)) / SECOND)
      metrics.auditFailing.set(series, (now - (stream.failing_since ?? now)) / SECOND)
    }
    for (const [kind, { oldestDueAt: oldest, ...counts }] of await jobs.backlog(now)) {
      for (const [state, count] of Object.entries(counts)) metrics.jobs.set({ kind, state }, count)
      metrics.oldestDueJob.set({ kind }, (now - (oldest ?? now)) / SECOND)
    }
  }

  return {
    process() {
      metrics.databaseQueue.set(database.waiting())
      metrics.workers.set(workers())
      metrics.sendingBusy.inc(sendingBusy() / SECOND)
      for (const [kind, { most, inFlight, waiting }] of loads()) {
        if (kind === 'delivery') metrics.inFlight.set(inFlight)
        metrics.places.set({ kind }, most)
        metrics.heldPlaces.set({ kind }, inFlight)
        metrics.usedShares.set({ kind }, waiting.size)
        metrics.waitingForShare.set(
          { kind },
          [...waiting.values()].reduce((sum, jobs) => sum + jobs, 0),
        )
      }
    },
    stored: memoizeFor(FRESH, readTables),
  }
}

async function countRuns({ db }: Database): Promise<Map<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from (
      select status from run where status in ('queued', 'running', 'waiting') limit ${MOST_RUNS}
    ) as open_runs group by status`.execute(db)
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}
