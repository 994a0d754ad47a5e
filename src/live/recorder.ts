import { createBatcher } from '../core/batcher.ts'
import { type Clock, type Millis, pause, SECOND } from '../core/clock.ts'
import type { Id, Kind } from '../core/id.ts'
import type { OnChanges } from '../db/changes.ts'
import type { Batch, Journal } from './journal.ts'
import { isLive, type LiveKind } from './live-kinds.ts'

type Organization = Id<'organization'>

/** Records the changes of watched organizations, whichever process their readers use. */
export interface Recorder {
  /** Called with the changes of a transaction in this process. */
  changed: OnChanges
  /** Notes that an organization has readers, in any process. */
  watch(organizationId: Organization): void
  /** Notes the complete list of organizations with readers. */
  watchOnly(organizationIds: Organization[]): void
  /** Marks a gap in all streams: a process died before it recorded its changes. */
  missed(): void
  /** Resolves when all noted changes are written. */
  stop(): Promise<void>
}

/** How long changes wait for others, so that a busy organization costs a few writes a second. */
const BATCH_WINDOW: Millis = 50
/** The wait after a failed write. */
const RETRY_WAIT: Millis = SECOND
/** Most changes of one organization, and of all, in one write: a few milliseconds of blocking. */
const [MOST_OF_ONE, MOST] = [100, 500]
/** Most waiting changes of one organization; beyond that its readers get a gap. */
const MOST_WAITING = 5_000
/** How long, and how many, changes are kept of organizations without known readers. */
const [REMEMBERED, MOST_REMEMBERED]: [Millis, number] = [15 * SECOND, 8_192]

/** A changed row; or a gap, where there are too many changes. */
interface Change {
  organizationId: Organization
  id: Id<Kind> | 'gap'
  kind: LiveKind | 'gap'
}

interface RecorderDeps {
  clock: Clock
  journal: Pick<Journal, 'append'>
  /** Whether readers may be in other processes. */
  shared: boolean
  /** Called with organizations whose streams have new changes. */
  onWritten: (organizationIds: Organization[]) => void
  log: { error(data: object, message: string): void }
}

export function createRecorder({ clock, journal, shared, onWritten, log }: RecorderDeps): Recorder {
  const watched = new Set<Organization>()
  const memory = createMemory(clock)
  /** Rows whose change waits to be written, once each however often they change. */
  const waiting = new Map<Organization, Set<Change['id']>>()
  let isOver = false
  const changes = createBatcher<Change>(
    async (take) => {
      const some = take()
      for (const { organizationId, id } of some) {
        const rows = waiting.get(organizationId)
        rows?.delete(id)
        if (rows?.size === 0) waiting.delete(organizationId)
      }
      try {
        onWritten(await journal.append(toBatch(some), clock.now()))
        return undefined
      } catch (error) {
        log.error({ err: error }, 'changes for live streams could not be written')
        if (isOver) return undefined
        for (const { organizationId, id } of some) rowsOf(organizationId).add(id)
        await pause(RETRY_WAIT)
        // They come first in the next batch.
        return []
      }
    },
    {
      most: MOST,
      perOwner: { most: MOST_OF_ONE, ownerOf: ({ organizationId }) => organizationId },
      pace: () => (isOver ? undefined : pause(BATCH_WINDOW)),
    },
  )

  function rowsOf(organizationId: Organization): Set<Change['id']> {
    const rows = waiting.get(organizationId) ?? new Set()
    waiting.set(organizationId, rows)
    return rows
  }

  function add(organizationId: Organization, id: Change['id'], kind: Change['kind']): void {
    const rows = rowsOf(organizationId)
    const change: Change =
      rows.size < MOST_WAITING ? { organizationId, id, kind } : { organizationId, id: 'gap', kind: 'gap' }
    if (rows.has(change.id)) return
    rows.add(change.id)
    void changes.add(change)
  }

  function note(organizationId: Organization, id: Id<Kind> | 'gap', kind: LiveKind | 'gap'): void {
    if (watched.has(organizationId)) add(organizationId, id, kind)
    else if (shared) memory.keep(organizationId, id, kind)
  }

  function watch(organizationId: Organization): void {
    if (watched.has(organizationId)) return
    watched.add(organizationId)
    if (!shared) return
    // Readers may have started before this process was notified.
    const { rows, isWhole } = memory.of(organizationId)
    for (const [id, kind] of rows) add(organizationId, id, kind)
    if (!isWhole) add(organizationId, 'gap', 'gap')
  }

  return {
    changed: {
      rows(kind, rows) {
        if (!isLive(kind)) return
        for (const { organization_id, id } of rows) note(organization_id, id, kind)
      },
      many: (organizationId) => note(organizationId, 'gap', 'gap'),
    },
    watch,
    watchOnly(organizationIds) {
      const now = new Set(organizationIds)
      for (const one of watched) if (!now.has(one)) watched.delete(one)
      for (const one of now) watch(one)
    },
    missed() {
      for (const organizationId of watched) add(organizationId, 'gap', 'gap')
    },
    async stop() {
      isOver = true
      await changes.idle()
    },
  }
}

function toBatch(changes: Change[]): Batch {
  const byOrganization = Map.groupBy(changes, ({ organizationId }) => organizationId)
  return new Map(
    [...byOrganization].map(([id, some]) => [id, new Map(some.map((one) => [one.id, one.kind]))]),
  )
}

/** A ring buffer of the latest changes. */
function createMemory(clock: Clock) {
  const ring: { organizationId: Organization; id: Id<Kind> | 'gap'; kind: LiveKind | 'gap'; at: Millis }[] =
    []
  let next = 0
  return {
    keep(organizationId: Organization, id: Id<Kind> | 'gap', kind: LiveKind | 'gap'): void {
      ring[next] = { organizationId, id, kind, at: clock.now() }
      next = (next + 1) % MOST_REMEMBERED
    },
    of(organizationId: Organization) {
      const since = clock.now() - REMEMBERED
      const ordered = [...ring.slice(next), ...ring.slice(0, next)]
      return {
        isWhole: ring.length < MOST_REMEMBERED || (ordered[0]?.at ?? 0) < since,
        rows: ordered
          .filter((one) => one.organizationId === organizationId && one.at >= since)
          .map(({ id, kind }) => [id, kind] as const),
      }
    },
  }
}
