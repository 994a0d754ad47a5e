import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createBatcher, GROUP_COMMIT_WAIT } from '../../core/batcher.ts'
import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { type Columns, namesOf, preparedForList } from '../../db/engine/lists.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { type Definition, parseDefinition } from '../definitions/definition.ts'
import type { Run } from '../transcript/rows.ts'
import { waitForFiles } from './file-wait.ts'
import type { StepDeps } from './step-deps.ts'

/** A run that this process has claimed. */
export interface ClaimedRun {
  run: Run
  /** The agent's definition, where it was read with the run. */
  definition: Definition | undefined
  /** Whether the run has no steps yet. */
  isFresh: boolean
}

/** Claims a run; later writes under an earlier claim fail. @returns undefined where the run has nothing to do */
type ClaimRun = (runId: Id<'run'>) => Promise<ClaimedRun | undefined>

/** Most runs that start in one statement. */
const MOST_STARTED = 50

interface Taking {
  id: Run['id']
  claim_id: string
  now: Millis
}
const TAKING: Columns<Taking> = { id: 'text', claim_id: 'text', now: 'integer' }

/** Every column: a statement for all columns of a table cannot be prepared, because a later version may add some. */
const OF_RUN = Object.keys({
  ...{ id: true, organization_id: true, agent_id: true, agent_version: true, conversation_id: true },
  ...{ turn: true, owner_id: true, status: true, input: true, file_ids: true, file_notes: true },
  ...{ metadata: true, output: true, finish_reason: true, error_code: true, error_reason: true },
  ...{ claim_id: true, job_id: true, deadline_at: true, left_ms: true, resumed_seq: true },
  ...{ created_at: true, started_at: true, ended_at: true, updated_at: true },
} satisfies Record<keyof Run, true>)

type Started = Run & { definition: string | null }

/** Starts runs without files, in one statement. */
const startRuns = preparedForList<Taking, Started>(TAKING, (db, list) =>
  sql<Started>`
    with taken (${namesOf(TAKING)}) as (${list})
    update run set
      claim_id = taken.claim_id, status = 'running', updated_at = taken.now, deadline_at = run.left_ms + taken.now,
      -- A resumed run keeps its first start.
      started_at = coalesce(run.started_at, taken.now)
    from taken
    where run.id = taken.id and run.status = 'queued' and run.file_ids = '[]'
    returning ${sql.join(OF_RUN.map((name) => sql`${sql.ref(`run.${name}`)} as ${sql.ref(name)}`))},
      (select version.definition from agent_version as version
        where version.agent_id = run.agent_id and version.version = run.agent_version) as definition`.compile(
    db,
  ),
)

/** Starts a run with or without files. */
const startAny = prepared<Taking>()((db, value) =>
  db
    .updateTable('run')
    .set(({ eb, ref }) => ({
      ...{ claim_id: value('claim_id'), updated_at: value('now') },
      ...{ status: 'running', deadline_at: eb(ref('left_ms'), '+', value('now')) },
      started_at: sql<Millis>`coalesce(started_at, ${value('now')})`,
    }))
    .where('id', '=', value('id'))
    .where('status', '=', literal('queued'))
    .returningAll(),
)

const resumeRun = prepared<Taking>()((db, value) =>
  db
    .updateTable('run')
    .set({ claim_id: value('claim_id'), updated_at: value('now') })
    .where('id', '=', value('id'))
    .where('status', '=', literal('running'))
    .returningAll(),
)

type Deps = Pick<StepDeps, 'clock' | 'database' | 'signals' | 'files'>

/** Makes the claims of a process. Runs without files that start during a commit share the next one. */
export function createClaimRun(deps: Deps): ClaimRun {
  const { clock, database, signals } = deps
  const starts = createBatcher<Taking, Started | undefined>(
    async (take) => {
      const taken = take()
      const rows = await database.brief((tx) => startAll(tx, taken))
      const byId = new Map(rows.map((row) => [row.id, row]))
      return taken.map(({ id, claim_id }) => {
        const row = byId.get(id)
        return row?.claim_id === claim_id ? row : undefined
      })
    },
    { most: MOST_STARTED, groupWait: database.shared ? GROUP_COMMIT_WAIT : undefined },
  )
  return async (runId) => {
    const taken = { id: runId, claim_id: randomUUID(), now: clock.now() }
    const started = await starts.add(taken)
    if (started !== undefined) {
      const { definition, ...run } = started
      signals.changed(run.id)
      return {
        ...{ run, isFresh: run.resumed_seq === 0 },
        definition: definition === null ? undefined : parseDefinition(definition),
      }
    }
    const [resumed] = await database.brief((tx) => resumeRun(tx, taken))
    const begun = resumed === undefined ? await startWithFiles(deps, taken) : undefined
    const run = resumed ?? begun
    if (run === undefined) return undefined
    signals.changed(run.id)
    return { run, definition: undefined, isFresh: begun !== undefined && run.resumed_seq === 0 }
  }
}

/** In the order of ids, so that processes that start several runs do not wait for each other in a circle. */
async function startAll(tx: Tx, taken: Taking[]): Promise<Started[]> {
  const rows = await startRuns(
    tx,
    taken.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  noteChanges(tx, 'run', rows)
  return rows
}

/** Starts a run with files once none is in processing; until then its row records the wait. */
function startWithFiles(deps: Pick<StepDeps, 'database' | 'files'>, taken: Taking): Promise<Run | undefined> {
  return deps.database.tx(async (tx) => {
    const query = tx.selectFrom('run').select(['id', 'organization_id', 'file_ids'])
    const run = await query.where('id', '=', taken.id).where('status', '=', 'queued').executeTakeFirst()
    if (run === undefined || (await waitForFiles(tx, deps, run))) return undefined
    const rows = await startAny(tx, taken)
    noteChanges(tx, 'run', rows)
    return rows[0]
  })
}
