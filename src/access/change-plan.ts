import type { Plan } from '../core/limits.ts'
import type { Tx } from '../db/database.ts'
import { audit, type Trail } from '../http/audit.ts'

/**
 * Gives an organization another plan.
 * @returns the plan it had; undefined when there is no organization of that name
 */
export async function changePlan(tx: Tx, trail: Trail, name: string, plan: Plan): Promise<Plan | undefined> {
  const organization = await tx
    .selectFrom('organization')
    .select(['id', 'plan'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (organization === undefined || organization.plan === plan) return organization?.plan
  await tx.updateTable('organization').set({ plan }).where('id', '=', organization.id).execute()
  await audit(tx, trail, {
    action: 'plan.changed',
    organizationId: organization.id,
    targetId: organization.id,
    details: { from: organization.plan, to: plan },
  })
  return organization.plan
}
