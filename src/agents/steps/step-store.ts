import type { Clock, Millis } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import type { Charge } from '../../shared/charge.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import type { RunSignals } from './run-signals.ts'

/** The run has ended, or another process has claimed it: this process must write nothing more of it. */
export class LostRunError extends Error {
  override readonly name = 'LostRunError'
}

/** Asserts that the claim still has the run, in the transaction of the writes that follow. @throws LostRunError */
async function holdRun(tx: Tx, { id, claim_id }: Run, now: Millis): Promise<void> {
  const held = await tx
    .updateTable('run')
    .set({ updated_at: now })
    .where('id', '=', id)
    .where('claim_id', '=', claim_id)
    .where('status', '=', 'running')
    .returning(['id', 'organization_id'])
    .executeTakeFirst()
  if (held === undefined) throw new LostRunError()
  // The live stream shows the run as it is after this transaction.
  noteChanges(tx, 'run', [held])
}

/** The dependencies of the writes of a turn. */
export interface Writing {
  clock: Clock
  database: Pick<Database, 'tx'>
  signals: Pick<RunSignals, 'changed'>
  charge: Charge
}

/**
 * Writes a move of a run while its claim holds; outcomes of its steps come first, in the same commit.
 * @throws LostRunError; what `work` throws, and then nothing is written
 */
export async function writeNext<T>(
  { clock, database, signals, charge }: Writing,
  attempt: Attempt,
  work: (tx: Tx, now: Millis) => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const { unwritten } = attempt
  const result = await database.tx(async (tx) => {
    await holdRun(tx, attempt.run, now)
    await payUnwritten(tx, charge, unwritten)
    return work(tx, now)
  })
  attempt.dropWritten(unwritten)
  signals.changed(attempt.run.id)
  return result
}

/** Writes the outcomes of steps, and takes their cost. */
export async function payUnwritten(
  tx: Tx,
  charge: Money,
  unwritten: readonly UnwrittenOutcome[],
): Promise<void> {
  for (const { step, ended, cost, at } of unwritten) {
    const credits = await settleStep(tx, charge, step, cost, at)
    await changeStep(tx, step, { ...ended, credits })
  }
}

/** A step to be repeated, because its process died. */
interface Repetition {
  begun: Step
  /** The credits to set aside, where that is not the price of a step. */
  credits?: number
  change?: Partial<Step>
}

/**
 * Begins steps again: releases the credits that were set aside for them, and sets credits aside anew.
 * @returns them as they are written
 * @throws LostRunError; ApiError INSUFFICIENT_CREDITS
 */
export function repeatSteps(writing: Writing, attempt: Attempt, repetitions: Repetition[]): Promise<Step[]> {
  const { charge } = writing
  const { id: reference, organization_id: organizationId } = attempt.run
  return writeNext(writing, attempt, async (tx, now) => {
    const steps: Step[] = []
    for (const { begun, credits, change } of repetitions) {
      await releaseStep(tx, charge, begun, now)
      const work = { organizationId, action: 'run.step' as const, reference, now, credits }
      const reservation = JSON.stringify(await charge.reserve(tx, work))
      const repeated = { ...change, reservation, tries: begun.tries + 1 }
      await changeStep(tx, begun, repeated)
      steps.push({ ...begun, ...repeated })
    }
    return steps
  })
}

/** The steps of a run in their order, from `seq` on where not all of them are asked for. */
export function readSteps(db: Db | Tx, runId: Run['id'], seq = 0): Promise<Step[]> {
  return db
    .selectFrom('step')
    .selectAll()
    .where('run_id', '=', runId)
    .$if(seq > 0, (query) => query.where('seq', '>=', seq))
    .orderBy('seq')
    .execute()
}

/** The columns that a new step must have. */
type NewStep = Pick<Step, 'organization_id' | 'run_id' | 'seq' | 'kind' | 'name'> & Partial<Step>

/** A step as it is begun. */
export function newStep(step: NewStep, now: Millis): Step {
  return {
    id: newId('step', now),
    first_seq: null,
    status: 'started',
    server_id: null,
    call_id: null,
    input: null,
    input_digest: null,
    definition_digest: null,
    approvers: null,
    output: null,
    reason: null,
    ...{ finish_reason: null, retry: null, retry_at: null, provider_message: null },
    tries: 1,
    reservation: null,
    input_tokens: 0,
    output_tokens: 0,
    credits: 0,
    decided_by: null,
    started_at: now,
    ended_at: null,
    ...step,
  }
}

export async function insertStep(tx: Tx, step: Step): Promise<void> {
  await tx.insertInto('step').values(step).execute()
}

/** Changes a step that has not ended. @returns false where it has */
export async function changeStep(
  tx: Tx,
  { id, tries }: Pick<Step, 'id' | 'tries'>,
  change: Partial<Step>,
): Promise<boolean> {
  const row = await tx
    .updateTable('step')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'started')
    .where('tries', '=', tries)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

type Money = Pick<Charge, 'settle' | 'release'>

/** Takes the cost of a step from the credits set aside for it. @returns the credits taken */
export async function settleStep(
  tx: Tx,
  charge: Money,
  { reservation }: Pick<Step, 'reservation'>,
  cost: number,
  now: Millis,
): Promise<number> {
  if (reservation === null) return 0
  const held = JSON.parse(reservation) as { price: number }
  // No step costs more than was set aside for it.
  const credits = Math.min(cost, held.price)
  await charge.settle(tx, held, now, credits)
  return credits
}

/** Releases the credits set aside for a step that is not paid. */
export async function releaseStep(
  tx: Tx,
  charge: Money,
  { reservation }: Pick<Step, 'reservation'>,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
}
