import type { Clock, Millis } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { type Database, type Db, noteChanges, type Tx } from '../../db/database.ts'
import type { Charge } from '../../shared/charge.ts'
import type { Run, Step } from '../transcript/rows.ts'
import type { Attempt, Owed } from './attempt.ts'
import type { RunSignals } from './run-signals.ts'

/** The run has ended, or another process has taken it up: nothing of it may be written any more. */
export class LostRunError extends Error {
  override readonly name = 'LostRunError'
}

/**
 * Asserts, in the transaction of what is written after it, that the run is still this claim's.
 * @throws LostRunError
 */
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
  // What it has done so far is shown with it.
  noteChanges(tx, 'run', [held])
}

/** What a turn at a run writes with. */
export interface Writing {
  clock: Clock
  database: Pick<Database, 'tx'>
  signals: Pick<RunSignals, 'changed'>
  charge: Charge
}

/**
 * Writes what a run does next, while it is still this claim's; what is owed of its steps comes in the same commit, before.
 * @throws LostRunError; what `work` throws, and then nothing is written
 */
export async function writeNext<T>(
  { clock, database, signals, charge }: Writing,
  attempt: Attempt,
  work: (tx: Tx, now: Millis) => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const { owed } = attempt
  const result = await database.tx(async (tx) => {
    await holdRun(tx, attempt.run, now)
    await payOwed(tx, charge, owed)
    return work(tx, now)
  })
  attempt.hasWritten(owed)
  signals.changed(attempt.run.id)
  return result
}

/** Writes what steps have come to, and takes what they cost. */
export async function payOwed(tx: Tx, charge: Money, owed: readonly Owed[]): Promise<void> {
  for (const { step, ended, cost, at } of owed) {
    const credits = await settleStep(tx, charge, step, cost, at)
    await changeStep(tx, step, { ...ended, credits })
  }
}

/** A step that a process has died with, to be made once more. */
export interface Repetition {
  begun: Step
  /** What it may cost, where that is not the price of a step. */
  credits?: number
  change?: Partial<Step>
}

/**
 * Begins steps once more: what was set aside for them is given back, and set aside anew.
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

/** What a step is begun with. */
export type NewStep = Pick<Step, 'run_id' | 'seq' | 'kind' | 'name'> & Partial<Step>

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

/** Takes what a step has cost of what was set aside for it. @returns what it has cost */
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

/** Gives back what was set aside for a step that is not paid. */
export async function releaseStep(
  tx: Tx,
  charge: Money,
  { reservation }: Pick<Step, 'reservation'>,
  now: Millis,
): Promise<void> {
  if (reservation !== null) await charge.release(tx, JSON.parse(reservation), now)
}
