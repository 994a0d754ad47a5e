import { toIso } from '../../core/clock.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { findBound, type Span, seek, windowsOf } from '../../db/windows.ts'
import { jsonOrCsv } from '../../http/csv/list-export.ts'
import { callerOf } from '../../http/principal.ts'
import {
  inSpan,
  Page,
  PageQuery,
  type PageRequest,
  readPage,
  readSpan,
  restOf,
  SpanQuery,
} from '../../http/schema/list.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { EmailSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { statusOf } from '../../mail/outbox.ts'
import type { AccessDeps } from '../deps.ts'
import { MAIL_STATUSES, MailDeliveryFields, toMailDelivery } from './mail-wire.ts'

const MailSchema = Type.Object({
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  invitationId: Nullable(Type.String()),
  ...MailDeliveryFields,
  createdAt: Moment,
})

const COLUMNS = ['id', 'createdAt', 'to', 'subject', 'status', 'attempts', 'lastAttemptAt'] as const
const MORE_COLUMNS = ['lastError', 'answer', 'invitationId'] as const

/** Without the text: a mail holds live links. */
function toWire(row: Tables['mail']): Static<typeof MailSchema> {
  return {
    id: row.id,
    to: row.recipient,
    subject: row.subject,
    invitationId: row.invitation_id,
    ...toMailDelivery(statusOf(row)),
    createdAt: toIso(row.created_at),
  }
}

/** `GET /v1/mails`: the mails that the organization caused. Mails that a person asked for are private and not listed. */
export function mailRoutes(
  server: Server,
  { database, sendList }: Pick<AccessDeps, 'database' | 'sendList'>,
): void {
  server.get(
    '/v1/mails',
    {
      config: { access: 'mails:read' },
      schema: {
        tags: ['Invitations'],
        operationId: 'listMails',
        summary: 'List the mails that the organization has had sent',
        description:
          'The state of each mail and the mail server’s answer, without the text. Kept for `RETENTION_DAYS`.',
        querystring: strict({
          ...PageQuery,
          ...SpanQuery,
          status: Type.Optional(Type.String({ enum: [...MAIL_STATUSES] })),
          to: Type.Optional(EmailSchema),
        }),
        response: { 200: jsonOrCsv(Page(MailSchema)) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { status, to } = request.query
      const span = readSpan('mail', request.query)
      const first = readPage('mail', request.query)
      const ofOrganization = () =>
        database.db.selectFrom('mail').where('share', '=', organizationId).orderBy('id', 'desc')
      const startOf = (one: Span<'mail'>) => findBound(ofOrganization().select('id').$call(inSpan(one)))
      const read = (page: PageRequest<'mail'>) => {
        const whole = restOf(page, span)
        const isRare = status !== undefined || to !== undefined
        return seek(isRare ? windowsOf(whole, startOf) : [whole], page.take, (one, rest) =>
          ofOrganization()
            .selectAll()
            .$if(status !== undefined, (query) => query.where('status', '=', status as 'sent'))
            .$if(to !== undefined, (query) => query.where('recipient', '=', normalizeEmail(to ?? '') ?? ''))
            .$call(inSpan(one))
            .limit(rest)
            .execute(),
        )
      }
      const columns = [...COLUMNS, ...MORE_COLUMNS]
      return sendList(request, reply, first, { name: 'mails', columns, read, toWire })
    },
  )
}
