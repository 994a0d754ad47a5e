import { toIso, toIsoOrNull } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import { rowView } from '../../live/row-view.ts'

type Domain = Tables['domain']

export const DOMAIN_STATUSES = ['pending', 'verified', 'failing', 'lost'] as const

export const DomainSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Type.String({ enum: [...DOMAIN_STATUSES] }),
    record: Type.Object(
      { type: Type.String(), name: Type.String(), value: Type.String() },
      { description: 'The record to publish in the domain name system.' },
    ),
    reason: Nullable(Type.String({ enum: ['no_record', 'other_value', 'no_answer'] })),
    createdBy: Nullable(Type.String()),
    createdAt: Moment,
    checkedAt: Nullable(Moment),
    verifiedAt: Nullable(Moment),
    failingSince: Nullable(Moment),
  },
  { title: 'Domain' },
)

/** The name of the record, below the domain and apart from its other records. */
export const recordName = ({ name }: Pick<Domain, 'name'>) => `_postern-challenge.${name}`

export const recordValue = ({ token }: Pick<Domain, 'token'>) => `postern-domain=${token}`

export function toDomain(row: Domain): Static<typeof DomainSchema> {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    record: { type: 'TXT', name: recordName(row), value: recordValue(row) },
    reason: row.reason,
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    checkedAt: toIsoOrNull(row.checked_at),
    verifiedAt: toIsoOrNull(row.verified_at),
    failingSince: toIsoOrNull(row.failing_since),
  }
}

/** Domains in the live stream. */
export const domainView = rowView('domain', (rows) => rows.map(toDomain))
