import { type Millis, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { createLoop, type Loop } from '../../core/loop.ts'
import { noteChanges } from '../../db/database.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import type { StepDeps } from './step-deps.ts'

/** The interval of reading the rows of live runs: a notification may be lost, and a command beside SQLite sends none. */
const EVERY: Millis = 5 * SECOND

/** Interrupts this process's work for runs that another process has ended or claimed. */
export function watchEnds({
  clock,
  database,
  log,
  live,
  signals,
}: Pick<StepDeps, 'clock' | 'database' | 'log' | 'live' | 'signals'>): Loop {
  async function breakOff(): Promise<void> {
    const ids = live.ids()
    if (ids.length === 0) return
    // Listed before the rows are read: a turn that begins later has a claim that these rows lack.
    const turns = ids.map((id) => ({ id, turn: live.get(id) }))
    const rows = await database.db
      .selectFrom('run')
      .select(['id', 'claim_id'])
      .where('id', 'in', ids)
      .execute()
    const claims = new Map(rows.map(({ id, claim_id }) => [id, claim_id]))
    for (const { id, turn } of turns) if (turn?.claim !== claims.get(id)) turn?.interrupt('ended')
  }

  const loop = createLoop({
    ...{ clock, log, every: EVERY, first: EVERY, run: breakOff },
    name: 'runs that another process has ended',
  })
  signals.watch({
    changed() {},
    changedElsewhere(id) {
      if (id === undefined || live.get(id) !== undefined) loop.wake()
    },
  })
  return loop
}

/**
 * Stores and charges the usage of model calls whose run another process ended: that process knows only the input.
 * Nothing is charged beyond the balance.
 */
export async function payRest(
  deps: Pick<StepDeps, 'clock' | 'database' | 'charge' | 'signals'>,
  { run, unwritten }: Pick<Attempt, 'run' | 'unwritten'>,
): Promise<void> {
  for (const outcome of unwritten)
    try {
      if (await payOne(deps, run, outcome)) deps.signals.changed(run.id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
}

/** Charges one step. @returns whether it added usage */
function payOne(
  { clock, database, charge }: Pick<StepDeps, 'clock' | 'database' | 'charge'>,
  run: Attempt['run'],
  { step, ended, cost }: UnwrittenOutcome,
): Promise<boolean> {
  const now = clock.now()
  const { output_tokens } = ended
  return database.tx(async (tx) => {
    if (step.kind !== 'model' || !output_tokens || step.reservation === null) return false
    const row = await tx
      .updateTable('step')
      .set({ output_tokens })
      .where('id', '=', step.id)
      .where('tries', '=', step.tries)
      .where('status', '=', 'failed')
      .where('output_tokens', '=', 0)
      .returning('credits')
      .executeTakeFirst()
    if (row === undefined) return false
    const { price } = JSON.parse(step.reservation) as { price: number }
    const credits = Math.min(cost, price) - row.credits
    if (credits > 0) {
      const { id: reference, organization_id: organizationId } = run
      const work = { organizationId, action: 'run.step' as const, reference, now, credits }
      await charge.settle(tx, await charge.reserve(tx, work), now, credits)
      await tx
        .updateTable('step')
        .set({ credits: row.credits + credits })
        .where('id', '=', step.id)
        .execute()
    }
    noteChanges(tx, 'run', [run])
    return true
  })
}
