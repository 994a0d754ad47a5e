import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'

export const ApiKeyFields = {
  id: Type.String(),
  serviceAccountId: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  role: Type.String(),
  scopes: Nullable(Type.Array(Type.String())),
  hint: Type.String({ description: 'The last four characters of the key.' }),
  createdBy: Nullable(Type.String()),
  createdWith: Nullable(Type.String()),
  createdAt: Moment,
  expiresAt: Nullable(Moment),
  lastUsedAt: Nullable(Moment),
}
export const ApiKeySchema = Type.Object(ApiKeyFields)

export function toApiKey(row: Tables['api_key']): Static<typeof ApiKeySchema> {
  return {
    id: row.id,
    serviceAccountId: row.service_account_id,
    name: row.name,
    description: row.description,
    role: row.role,
    scopes: row.scopes === null ? null : JSON.parse(row.scopes),
    hint: row.hint,
    createdBy: row.created_by,
    createdWith: row.key_id,
    createdAt: toIso(row.created_at),
    expiresAt: toIsoOrNull(row.expires_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }
}
