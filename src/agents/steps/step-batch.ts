import { sql } from 'kysely'
import { COMPANY, createBatcher, FailedItem } from '../../core/batcher.ts'
import type { Millis } from '../../core/clock.ts'
import { afterCommit, noteChanges, type Tx } from '../../db/database.ts'
import { BusyError } from '../../db/engine/engine.ts'
import { type Columns, namesOf, preparedForList, preparedListInsert } from '../../db/engine/lists.ts'
import type { Movement } from '../../shared/charge.ts'
import type { FinishReason } from '../models/model.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Attempt, Owed } from './attempt.ts'
import { tellEnd, toCompleted } from './end-run.ts'
import type { StepDeps } from './step-deps.ts'
import { LostRunError } from './step-store.ts'

/** A step that is begun; it may cost so much, or what its action costs. */
export interface Beginning {
  kind: 'begin'
  attempt: Attempt
  step: Step
  credits: number | undefined
}

/** A run that has succeeded, of no conversation, with its steps as they are once what it owes is written. */
export interface Succeeding {
  kind: 'succeed'
  attempt: Attempt
  output: string
  finish: FinishReason
  steps: Step[]
}

/** What a run does next. What its last step has come to is written with it. */
export type Write = Beginning | Succeeding

/** The step as it is written; or why nothing of it was. */
export type Written = { step?: Step } | { error: Error }

/** Writes what the runs of this process do next; runs that write while a commit is under way share the next one. */
export interface StepWriter {
  /** Begins a step, with credits set aside for it. @returns it as it is written @throws LostRunError; ApiError INSUFFICIENT_CREDITS */
  begin(beginning: Omit<Beginning, 'kind'>): Promise<Step>
  /** Ends a run of no conversation. @throws LostRunError */
  succeed(succeeding: Omit<Succeeding, 'kind'>): Promise<void>
}

/** Runs of one transaction at most. */
const MOST = 50

type BatchDeps = Pick<StepDeps, 'charge' | 'publishAll' | 'live' | 'signals' | 'metrics'>

interface Held {
  id: Run['id']
  claim_id: string
  now: Millis
}
const HELD: Columns<Held> = { id: 'text', claim_id: 'text', now: 'integer' }

const holdRuns = preparedForList<Held, Pick<Run, 'id'>>(HELD, (db, list) =>
  sql<Pick<Run, 'id'>>`
    with held (${namesOf(HELD)}) as (${list})
    update run set updated_at = held.now from held
    where run.id = held.id and run.claim_id = held.claim_id and run.status = 'running'
    returning run.id as id`.compile(db),
)

interface Ended extends Held {
  output: string
  finish_reason: string
}
const ENDED: Columns<Ended> = { ...HELD, output: 'text', finish_reason: 'text' }

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
  ...{ id: 'text', run_id: 'text', seq: 'integer', kind: 'text', status: 'text', name: 'text' },
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
 * Writes what many runs do next, in one transaction and a statement for each table: each run as a whole or not at all, and
 * none that is not its attempt's any more. Runs are locked before the credits that they use, as everywhere.
 * @returns what became of each, in their order
 */
async function writeBatch(tx: Tx, deps: BatchDeps, writes: Write[], now: Millis): Promise<Written[]> {
  const alive = await holdAll(tx, writes, now)
  const moved = await deps.charge.moveAll(tx, alive.map(toMovement), now)
  const paid: { write: Write; reservation: unknown }[] = []
  const refused = new Map<Write, Error>()
  for (const [index, write] of alive.entries()) {
    const { reservation, refused: why } = moved[index] ?? {}
    if (why === undefined) paid.push({ write, reservation })
    else refused.set(write, why)
  }
  const owed = paid.flatMap(({ write: { attempt } }) => attempt.owed ?? [])
  await settleSteps(tx, owed.map(toSettled))
  const begun = new Map<Write, Step>()
  for (const { write, reservation } of paid)
    if (write.kind === 'begin') begun.set(write, { ...write.step, reservation: JSON.stringify(reservation) })
  await insertSteps(tx, [...begun.values()])
  const ended = paid.flatMap(({ write }) => (write.kind === 'succeed' ? [toEnded(write, now)] : []))
  if (ended.length > 0)
    await deps.publishAll(
      tx,
      ended.map(({ run }) => ({ now, fact: toCompleted(run) })),
    )
  noteChanges(
    tx,
    'run',
    paid.map(({ write }) => write.attempt.run),
  )
  afterCommit(tx, () => {
    for (const { run, steps } of ended) tellEnd(deps, run, steps)
  })
  const isPaid = new Set(paid.map(({ write }) => write))
  return writes.map((write) => {
    const step = begun.get(write)
    if (step !== undefined) return { step }
    return isPaid.has(write) ? {} : { error: refused.get(write) ?? new LostRunError() }
  })
}

/** @returns those whose runs are still their attempts' */
async function holdAll(tx: Tx, writes: Write[], now: Millis): Promise<Write[]> {
  const toHeld = ({ attempt: { run } }: Write): Held => ({ id: run.id, claim_id: run.claim_id ?? '', now })
  const begins = writes.filter(({ kind }) => kind === 'begin')
  const ends = writes.filter((write) => write.kind === 'succeed')
  const held = await holdRuns(tx, begins.map(toHeld))
  const ended = await endRuns(
    tx,
    ends.map((write) => ({ ...toHeld(write), output: write.output, finish_reason: write.finish })),
  )
  const ids = new Set([...held, ...ended].map(({ id }) => id))
  return writes.filter(({ attempt }) => ids.has(attempt.run.id))
}

function toMovement(write: Write): Movement {
  const { run, owed } = write.attempt
  const held = owed?.step.reservation == null ? undefined : reservationOf(owed.step.reservation)
  return {
    organizationId: run.organization_id,
    settle: owed && held && { reservation: held, actual: Math.min(owed.cost, held.price) },
    reserve:
      write.kind === 'begin' ? { action: 'run.step', reference: run.id, credits: write.credits } : undefined,
  }
}

/** No step costs more than was set aside for it. */
function toSettled({ step, ended, cost }: Owed): Settled {
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

function toEnded(
  { attempt: { run }, output, finish, steps }: Succeeding,
  now: Millis,
): { run: Run; steps: Step[] } {
  const ended: Run = {
    ...{ ...run, status: 'succeeded', output, finish_reason: finish, claim_id: null, job_id: null },
    ...{ deadline_at: null, ended_at: now, updated_at: now },
  }
  return { run: ended, steps }
}

export function createStepWriter(deps: BatchDeps & Pick<StepDeps, 'clock' | 'database'>): StepWriter {
  const { clock, database, signals } = deps
  const commits = createBatcher<Write, Step | undefined>(
    async (take) => {
      const writes = take()
      const results = await database.tx((tx) => writeBatch(tx, deps, writes, clock.now()))
      return results.map((result, index) => {
        if ('error' in result) return new FailedItem(result.error)
        const { attempt } = writes[index] as Write
        attempt.hasWritten()
        signals.changed(attempt.run.id)
        return result.step
      })
    },
    {
      most: MOST,
      company: database.shared ? COMPANY : undefined,
      // A write that was committed after all is refused the second time. One that has waited for the database in vain waits no more.
      isOfOne: (error) => !(error instanceof BusyError),
    },
  )
  return {
    begin: async (beginning) => (await commits.add({ kind: 'begin', ...beginning })) ?? beginning.step,
    async succeed(succeeding) {
      await commits.add({ kind: 'succeed', ...succeeding })
    },
  }
}
