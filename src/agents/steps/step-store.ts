import type { Clock, Millis } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import { lock } from '../../db/locking.ts'
import type { Charge } from '../../shared/charge.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import type { RunSignals } from './run-signals.ts'

/** The run has ended, or another process has claimed it: this process must not write to it. */
export class LostRunError extends Error {
  override readonly name = 'LostRunError'
}

/** Asserts that the claim still holds the run, in the transaction of the writes that follow. @throws LostRunError */
async function holdRun(tx: Tx, { id, claim_id }: Run): Promise<void> {
  const query = tx
    .selectFrom('run')
    .select(['id', 'organization_id'])
    .where('id', '=', id)
    .where('claim_id', '=', claim_id)
    .where('status', '=', 'running')
  const held = await lock(tx, query).executeTakeFirst()
  if (held === undefined) throw new LostRunError()
  // The live stream shows the run after this transaction.
  noteChanges(tx, 'run', [held])
}

/** The dependencies of writes during a turn. */
export interface WriteDeps {
  clock: Clock
  database: Pick<Database, 'tx'>
  signals: Pick<RunSignals, 'changed'>
  charge: Charge
}

/**
 * Writes a move of a run while its claim holds, after the outcomes of its steps, in one commit.
 * @throws LostRunError; any error of `work`, and then nothing is written
 */
export async function writeNext<T>(
  { clock, database, signals, charge }: WriteDeps,
  attempt: Attempt,
  work: (tx: Tx, now: Millis) => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const { unwritten } = attempt
  const result = await database.tx(async (tx) => {
    await holdRun(tx, attempt.run)
    await payUnwritten(tx, charge, unwritten)
    return work(tx, now)
  })
  attempt.dropWritten(unwritten)
  signals.changed(attempt.run.id)
  return result
}

/** Writes the outcomes of steps, and charges their cost. */
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

/** A step to repeat, because its process died. */
interface Repetition {
  begun: Step
  /** The credits to reserve, where they differ from the price of a step. */
  credits?: number
  change?: Partial<Step>
}

/**
 * Begins steps again: releases their credit reservations and makes new ones.
 * @returns the written steps
 * @throws LostRunError; ApiError INSUFFICIENT_CREDITS
 */
export function repeatSteps(
  writing: WriteDeps,
  attempt: Attempt,
  repetitions: Repetition[],
): Promise<Step[]> {
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

/** The steps of a run in order, from `seq` on. */
export function readSteps(db: Db | Tx, runId: Run['id'], seq = 0): Promise<Step[]> {
  return db
    .selectFrom('step')
    .selectAll()
    .where('run_id', '=', runId)
    .$if(seq > 0, (query) => query.where('seq', '>=', seq))
    .orderBy('seq')
    .execute()
}

/** The required columns of a new step. */
type NewStep = Pick<Step, 'organization_id' | 'run_id' | 'seq' | 'kind' | 'name'> & Partial<Step>

/** A step at its start. */
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

/** Charges the cost of a step to its reservation. @returns the charged credits */
export async function settleStep(
  tx: Tx,
  charge: Money,
  { reservation }: Pick<Step, 'reservation'>,
  cost: number,
  now: Millis,
): Promise<number> {
  if (reservation === null) return 0
  const held = JSON.parse(reservation) as { price: number }
  // A step never costs more than its reservation.
  const credits = Math.min(cost, held.price)
  await charge.settle(tx, held, now, credits)
  return credits
}

/** Releases the reservation of a step without cost. */
export async function releaseStep(
  tx: Tx,
  charge: Money,
  { reservation }: Pick<Step, 'reservation'>,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
}
