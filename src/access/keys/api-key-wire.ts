import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'
import { FormerSecretSchema, findFormerSecrets } from './former-secrets.ts'

type Row = Tables['api_key']

export const ApiKeyFields = {
  id: Type.String(),
  serviceAccountId: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  role: Type.String(),
  scopes: Nullable(Type.Array(Type.String())),
  allowedAddresses: Nullable(Type.Array(Type.String())),
  hint: Type.String({ description: 'The last four characters of the key.' }),
  createdBy: Nullable(Type.String()),
  createdWith: Nullable(Type.String()),
  createdAt: Moment,
  rotatedBy: Nullable(Type.String()),
  rotatedAt: Nullable(Moment),
  formerSecrets: Type.Array(FormerSecretSchema),
  expiresAt: Nullable(Moment),
  lastUsedAt: Nullable(Moment),
}
export const ApiKeySchema = Type.Object(ApiKeyFields)
type ApiKey = Static<typeof ApiKeySchema>

const listOf = (json: string | null): string[] | null => (json === null ? null : JSON.parse(json))

/** @returns the keys for an answer, with their former secrets that still work */
export async function toApiKeys(db: Db | Tx, rows: Row[], now: Millis): Promise<ApiKey[]> {
  const former = await findFormerSecrets(
    db,
    rows.map(({ id }) => id),
    now,
  )
  return rows.map((row) => ({
    id: row.id,
    serviceAccountId: row.service_account_id,
    name: row.name,
    description: row.description,
    role: row.role,
    scopes: listOf(row.scopes),
    allowedAddresses: listOf(row.allowed_addresses),
    hint: row.hint,
    createdBy: row.created_by,
    createdWith: row.key_id,
    createdAt: toIso(row.created_at),
    rotatedBy: row.rotated_by,
    rotatedAt: toIsoOrNull(row.rotated_at),
    formerSecrets: former.get(row.id) ?? [],
    expiresAt: toIsoOrNull(row.expires_at),
    lastUsedAt: toIsoOrNull(row.last_used_at),
  }))
}

/** As `toApiKeys`, of one. */
export async function toApiKey(db: Db | Tx, row: Row, now: Millis): Promise<ApiKey> {
  const [key] = await toApiKeys(db, [row], now)
  return key as ApiKey
}

/** API keys in the live stream. */
export const apiKeyView = rowView('api_key', (rows, now, db) => toApiKeys(db, rows, now))
