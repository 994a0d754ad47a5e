import { toIso } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import { hasModule, MODULE_NAMES, type PlanBook, planOf, readFlags } from '../core/plans.ts'
import type { Db, Tx } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import { selectOrganizations } from './list-organizations.ts'

export const OperatedOrganization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  externalId: Nullable(Type.String()),
  status: Type.String({ enum: ['active', 'disabled'] }),
  plan: Type.String(),
  modules: Type.Object(Object.fromEntries(MODULE_NAMES.map((module) => [module, Type.Boolean()])), {
    description: 'Which it has, by its plan or by its flags.',
  }),
  flags: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Modules that are on or off apart from its plan.',
  }),
  members: Type.Integer(),
  webhooks: Type.Integer(),
  createdAt: Moment,
})

type Row = Awaited<ReturnType<ReturnType<typeof selectOrganizations>['execute']>>[number]

export function toOrganization(book: PlanBook, row: Row): Static<typeof OperatedOrganization> {
  const flags = readFlags(row.flags)
  const modules = MODULE_NAMES.map((module) => [module, hasModule(planOf(book, row.plan), flags, module)])
  return {
    id: row.id,
    name: row.name,
    externalId: row.external_id,
    status: row.disabled_at === null ? 'active' : 'disabled',
    plan: row.plan,
    modules: Object.fromEntries(modules),
    flags: { ...flags },
    members: Number(row.members),
    webhooks: Number(row.webhooks),
    createdAt: toIso(row.created_at),
  }
}

/** @throws ApiError ENTITY_NOT_FOUND */
export async function readOrganization(db: Db | Tx, book: PlanBook, id: Id<'organization'>) {
  const row = await selectOrganizations(db).where('organization.id', '=', id).executeTakeFirst()
  if (row === undefined) throw notFound('id', id)
  return toOrganization(book, row)
}
