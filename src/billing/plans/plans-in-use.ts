import type { PlanBook } from '../../core/plans.ts'
import type { Db } from '../../db/database.ts'

/**
 * Proves that the plan book has every plan that an organization has.
 * @throws Error that names each missing plan, and the organizations that have it
 */
export async function checkPlansInUse(db: Db, { plans }: PlanBook): Promise<void> {
  const lacking = await db
    .selectFrom('organization')
    .select(({ fn }) => ['plan', fn.countAll<number>().as('count'), fn.min('name').as('example')])
    .where('plan', 'not in', [...plans.keys()])
    .where('deleted_at', 'is', null)
    .groupBy('plan')
    .orderBy('plan')
    .execute()
  if (lacking.length === 0) return
  const lines = lacking.map(({ plan, count, example }) => {
    const others = Number(count) === 1 ? '' : ` and ${Number(count) - 1} more`
    return `  - "${plan}": ${example}${others}`
  })
  throw new Error(
    [
      `Organizations have plans that are not among ${[...plans.keys()].join(', ')}:`,
      ...lines,
      'Add these plans to PLANS_FILE, or give each of the organizations another one: postern plan --organization NAME --plan PLAN',
    ].join('\n'),
  )
}
