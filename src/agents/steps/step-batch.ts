import { sql } from 'kysely'
import { createBatcher, FailedItem, GROUP_COMMIT_WAIT } from '../../core/batcher.ts'
import type { Millis } from '../../core/clock.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { BusyError } from '../../db/engine/engine.ts'
import { type Columns, namesOf, preparedForList, preparedListInsert } from '../../db/engine/lists.ts'
import { lockClause } from '../../db/locking.ts'
import type { Movement } from '../../shared/charge.ts'
import type { FinishReason } from '../models/model.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import { reportEnd, toCompleted } from './end-run.ts'
import type { StepDeps } from './step-deps.ts'
import { LostRunError } from './step-store.ts'

/** A step that begins, and the credits to reserve; by default the price of its action. */
interface Beginning {
  step: Step
  credits?: number
}

/** The end of a run without a conversation, with its final steps. */
interface Success {
  output: string
  finish: FinishReason
  steps: Step[]
}

/** One write of a run: settles ended steps, and begins others together or ends the run. */
interface Write {
  attempt: Attempt
  unwritten: readonly UnwrittenOutcome[]
  begin: Beginning[]
  success?: Success
}

/** The written steps, or the reason why nothing of the run was written. */
type Written = { steps: Step[] } | { error: Error }

/**
 * Writes the moves of this process's runs, with the outcomes of their steps. Writes during a commit share the next one.
 * Each run has one write in progress at a time.
 */
export interface StepWriter {
  /**
   * Begins steps together; reserves credits for all of them or for none.
   * @returns the written steps
   * @throws LostRunError; ApiError INSUFFICIENT_CREDITS
   */
  begin(attempt: Attempt, beginnings: Beginning[]): Promise<Step[]>
  /**
   * Writes the outcomes of a run's steps without another move; does nothing where there are none. @throws LostRunError
   */
  settle(attempt: Attempt): Promise<void>
  /** Ends a run without a conversation. @throws LostRunError */
  succeed(attempt: Attempt, success: Success): Promise<void>
}

/** Most runs in one transaction. */
const MOST = 50

type BatchDeps = Pick<StepDeps, 'charge' | 'jobs' | 'publishAll' | 'signals' | 'metrics' | 'trace'>

interface Held {
  id: Run['id']
  claim_id: string
}
const HELD: Columns<Held> = { id: 'text', claim_id: 'text' }

/** Locks the runs whose claim still holds, without a new version of their rows, which have the inputs. */
const holdRuns = preparedForList<Held, Pick<Run, 'id'>>(HELD, (db, list) =>
  sql<Pick<Run, 'id'>>`
    with held (${namesOf(HELD)}) as (${list})
    select run.id as id from run join held on run.id = held.id and run.claim_id = held.claim_id
    where run.status = 'running' order by run.id ${lockClause(db, 'run')}`.compile(db),
)

interface Ended extends Held {
  output: string
  finish_reason: string
  now: Millis
}
const ENDED: Columns<Ended> = { ...HELD, output: 'text', finish_reason: 'text', now: 'integer' }

const endRuns = preparedForList<Ended, Pick<Run, 'id'>>(ENDED, (db, list) =>
  sql<Pick<Run, 'id'>>`
    with ended (${namesOf(ENDED)}) as (${list})
    update run set
      status = 'succeeded', output = ended.output, finish_reason = ended.finish_reason, error_code = null, error_reason = null, claim_id = null, job_id = null,
      deadline_at = null, ended_at = ended.now, updated_at = ended.now
    from ended
    where run.id = ended.id and run.claim_id = ended.claim_id and run.status = 'running'
    returning run.id as id`.compile(db),
)

type Settled = Pick<
  Step,
  'id' | 'tries' | 'status' | 'output' | 'reason' | 'input_tokens' | 'output_tokens' | 'credits' | 'ended_at'
> &
  Pick<Step, 'finish_reason' | 'retry' | 'retry_at' | 'provider_message'>
const SETTLED: Columns<Settled> = {
  ...{ id: 'text', tries: 'integer', status: 'text', output: 'text', reason: 'text' },
  ...{ input_tokens: 'integer', output_tokens: 'integer', credits: 'integer', ended_at: 'integer' },
  ...{ finish_reason: 'text', retry: 'text', retry_at: 'integer', provider_message: 'text' },
}

const settleSteps = preparedForList<Settled>(SETTLED, (db, list) =>
  sql<never>`
    with settled (${namesOf(SETTLED)}) as (${list})
    update step set
      status = settled.status, output = settled.output, reason = settled.reason, reservation = null,
      input_tokens = settled.input_tokens, output_tokens = settled.output_tokens, credits = settled.credits,
      ended_at = settled.ended_at, finish_reason = settled.finish_reason, retry = settled.retry,
      retry_at = settled.retry_at, provider_message = settled.provider_message
    from settled
    where step.id = settled.id and step.status = 'started' and step.tries = settled.tries`.compile(db),
)

const insertSteps = preparedListInsert('step', {
  ...{
    id: 'text',
    organization_id: 'text',
    run_id: 'text',
    seq: 'integer',
    first_seq: 'integer',
    kind: 'text',
  },
  ...{ status: 'text', name: 'text' },
  ...{ server_id: 'text', call_id: 'text', input: 'text', input_digest: 'text', definition_digest: 'text' },
  ...{
    approvers: 'text',
    finish_reason: 'text',
    retry: 'text',
    retry_at: 'integer',
    provider_message: 'text',
  },
  ...{ output: 'text', reason: 'text', tries: 'integer', reservation: 'text', input_tokens: 'integer' },
  ...{ output_tokens: 'integer', credits: 'integer', decided_by: 'text' },
  ...{ started_at: 'integer', ended_at: 'integer' },
})

/**
 * Writes the moves of many runs in one transaction, with one statement per table: each run completely or not at all,
 * and no run whose claim was lost. Locks runs before credits, as everywhere.
 * @returns the result of each, in order
 */
async function writeBatch(tx: Tx, deps: BatchDeps, writes: Write[], now: Millis): Promise<Written[]> {
  const alive = await holdAll(tx, writes, now)
  const moved = await deps.charge.moveAll(tx, alive.map(toMovement), now)
  const written = new Map<Write, Written>()
  const paid: Write[] = []
  for (const [index, write] of alive.entries()) {
    const { reservations, refused } = moved[index] ?? { reservations: [] }
    if (refused === undefined) paid.push(write)
    written.set(write, refused === undefined ? { steps: toBegun(write, reservations) } : { error: refused })
  }
  await settleSteps(
    tx,
    paid.flatMap(({ unwritten }) => unwritten.map(toSettled)),
  )
  await insertSteps(
    tx,
    [...written.values()].flatMap((one) => ('steps' in one ? one.steps : [])),
  )
  const ended = paid.flatMap((write) => toEnded(write, now))
  if (ended.length > 0)
    await deps.publishAll(
      tx,
      ended.map(({ run }) => ({ now, fact: toCompleted(run) })),
    )
  await deps.jobs.settleDone(
    tx,
    ended.map(({ job }) => job),
    now,
  )
  noteChanges(
    tx,
    'run',
    paid.map(({ attempt }) => attempt.run),
  )
  afterCommit(tx, () => {
    for (const { run, steps } of ended) reportEnd(deps, run, steps)
  })
  return writes.map((write) => written.get(write) ?? { error: new LostRunError() })
}

/** @returns the writes whose attempts still hold their runs */
async function holdAll(tx: Tx, writes: Write[], now: Millis): Promise<Write[]> {
  const toHeld = ({ attempt: { run } }: Write): Held => ({ id: run.id, claim_id: run.claim_id ?? '' })
  const held = await holdRuns(tx, writes.filter(({ success }) => success === undefined).map(toHeld))
  const ended = await endRuns(
    tx,
    writes.flatMap((write) => {
      const { output, finish } = write.success ?? {}
      return output === undefined || finish === undefined
        ? []
        : [{ ...toHeld(write), output, finish_reason: finish, now }]
    }),
  )
  const ids = new Set([...held, ...ended].map(({ id }) => id))
  return writes.filter(({ attempt }) => ids.has(attempt.run.id))
}

function toMovement({ attempt: { run }, unwritten, begin }: Write): Movement {
  return {
    organizationId: run.organization_id,
    settle: unwritten.flatMap(({ step, cost }) => {
      if (step.reservation === null) return []
      const reservation = reservationOf(step.reservation)
      return [{ reservation, actual: Math.min(cost, reservation.price) }]
    }),
    reserve: begin.map(({ credits }) => ({ action: 'run.step', reference: run.id, credits })),
  }
}

function toBegun({ begin }: Write, reservations: unknown[]): Step[] {
  return begin.map(({ step }, index) => ({ ...step, reservation: JSON.stringify(reservations[index]) }))
}

/** A step never costs more than its reservation. */
function toSettled({ step, ended, cost }: UnwrittenOutcome): Settled {
  const after = { ...step, ...ended }
  const { id, tries, status, output, reason, input_tokens, output_tokens, ended_at } = after
  const { finish_reason, retry, retry_at, provider_message } = after
  const credits = step.reservation === null ? 0 : Math.min(cost, reservationOf(step.reservation).price)
  return {
    ...{ id, tries, status, output, reason, input_tokens, output_tokens, credits, ended_at },
    ...{ finish_reason, retry, retry_at, provider_message },
  }
}

const reservationOf = (text: string) => JSON.parse(text) as { price: number }

/** A run that ends, with its final steps and the attempt of its job. */
type Ending = Pick<Success, 'steps'> & Pick<Attempt, 'run' | 'job'>

function toEnded({ attempt: { run, job }, success }: Write, now: Millis): Ending[] {
  if (success === undefined) return []
  const { output, finish, steps } = success
  const ended: Run = {
    ...{ ...run, status: 'succeeded', output, finish_reason: finish, claim_id: null, job_id: null },
    ...{ deadline_at: null, ended_at: now, updated_at: now },
  }
  return [{ run: ended, job, steps }]
}

export function createStepWriter(deps: BatchDeps & Pick<StepDeps, 'clock' | 'database'>): StepWriter {
  const { clock, database, signals } = deps
  const commits = createBatcher<Write, Step[]>(
    async (take) => {
      const writes = take()
      const results = await database.tx((tx) => writeBatch(tx, deps, writes, clock.now()))
      return results.map((result, index) => {
        if ('error' in result) return new FailedItem(result.error)
        const { attempt, unwritten } = writes[index] as Write
        attempt.dropWritten(unwritten)
        signals.changed(attempt.run.id)
        return result.steps
      })
    },
    {
      most: MOST,
      groupWait: database.shared ? GROUP_COMMIT_WAIT : undefined,
      // A batch whose commit was lost is retried one by one; a write that was committed is refused then. A batch that
      // waited for a connection in vain is not retried.
      isItemError: (error) => !(error instanceof BusyError) || error.hasBegun,
    },
  )
  return {
    begin: (attempt, begin) => commits.add({ attempt, unwritten: attempt.unwritten, begin }),
    async settle(attempt) {
      const { unwritten } = attempt
      if (unwritten.length > 0) await commits.add({ attempt, unwritten, begin: [] })
    },
    async succeed(attempt, success) {
      await commits.add({ attempt, unwritten: attempt.unwritten, begin: [], success })
    },
  }
}
