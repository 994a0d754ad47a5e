import { toIso } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { ROLES } from '../../db/tables/tables.ts'
import { type Permission, permissionsOf } from '../../http/permissions.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, NameSchema, Nullable } from '../../http/schema/validation.ts'
import { ScopesSchema } from '../keys/key-scopes.ts'
import { roleOfRow } from './role-store.ts'

/** The members of a request that creates or changes a role. */
export const RoleFields = {
  name: NameSchema,
  description: Nullable(Type.String({ maxLength: 500 })),
  permissions: ScopesSchema,
}

export const RoleSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    permissions: Type.Array(Type.String()),
    isFixed: Type.Boolean(),
    createdBy: Nullable(Type.String()),
    createdAt: Nullable(Moment),
    updatedAt: Nullable(Moment),
  },
  { title: 'OrganizationRole' },
)
type Wire = Static<typeof RoleSchema>

export function toRole(row: Tables['role']): Wire {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    permissions: [...roleOfRow(row).permissions],
    isFixed: false,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }
}

const ABOUT = {
  administrator: 'May do everything, also what later versions add.',
  member: 'May read, and work with own things.',
}

/** The roles that every organization has. */
export const FIXED_ROLES: Wire[] = ROLES.map((name) => ({
  ...{ id: name, name, description: ABOUT[name] },
  permissions: [...permissionsOf(name)] as Permission[],
  isFixed: true,
  ...{ createdBy: null, createdAt: null, updatedAt: null },
}))
