import type { PlanBook } from '../../core/plans.ts'
import type { Db } from '../../db/database.ts'

/**
 * Checks that the plan book has the plan of every organization.
 * @throws Error that names each missing plan, and its organizations
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
