import { ApiError } from '../../core/errors.ts'
import { noteChanges } from '../../db/database.ts'
import type { Attempt, UnwrittenOutcome } from './attempt.ts'
import type { StepDeps } from './step-deps.ts'

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
