import { type Millis, toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'

export type SetupLink = Tables['setup_link']

/** The purposes of setup links; each route of the setup requires one of them. */
export const PURPOSES = ['domains', 'provider', 'directory'] as const
export type Purpose = (typeof PURPOSES)[number]

const STATUSES = ['pending', 'opened', 'finished', 'revoked', 'expired'] as const
type Status = (typeof STATUSES)[number]

export const PurposesSchema = Type.Array(Type.Unsafe<Purpose>(Type.String({ enum: [...PURPOSES] })), {
  minItems: 1,
  maxItems: PURPOSES.length,
  uniqueItems: true,
  examples: [['domains', 'provider']],
})

export const SetupLinkSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    purposes: Type.Array(Type.String({ enum: [...PURPOSES] })),
    email: Nullable(Type.String()),
    activates: Type.Boolean(),
    createsMemberships: Type.Boolean(),
    status: Type.String({ enum: [...STATUSES] }),
    identityProviderId: Nullable(Type.String()),
    createdBy: Nullable(Type.String()),
    createdAt: Moment,
    expiresAt: Moment,
    openedAt: Nullable(Moment),
    endedAt: Nullable(Moment),
    url: Type.Optional(Type.String()),
  },
  { title: 'SetupLink' },
)

export const purposesOf = ({ purposes }: Pick<SetupLink, 'purposes'>) => purposes.split(' ') as Purpose[]

export function toSetupLink(row: SetupLink, now: Millis): Static<typeof SetupLinkSchema> {
  const isOver = (row.status === 'pending' || row.status === 'opened') && row.expires_at <= now
  const status: Status = isOver ? 'expired' : row.status
  return {
    id: row.id,
    name: row.name,
    purposes: purposesOf(row),
    email: row.email,
    activates: row.activates === 1,
    createsMemberships: row.creates_memberships === 1,
    status,
    // The id is reserved, but the provider does not exist before its first change.
    identityProviderId: row.provider_changed_at === null ? null : row.identity_provider_id,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    openedAt: toIsoOrNull(row.opened_at),
    endedAt: toIsoOrNull(row.ended_at),
  }
}

/** Setup links for readers of the live stream. */
export const setupLinkView = rowView('setup_link', (rows, now) => rows.map((row) => toSetupLink(row, now)))
