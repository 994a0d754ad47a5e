import { toIsoOrNull } from '../../core/clock.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { Moment, Nullable } from '../../http/schema/validation.ts'
import type { MailStatus } from '../../mail/outbox.ts'

export const MAIL_STATUSES = ['queued', 'sent', 'failed', 'not_configured'] as const

/** The state of a mail's delivery, in an invitation and in the list of mails. */
export const MailDeliveryFields = {
  status: Type.String({ enum: [...MAIL_STATUSES] }),
  attempts: Type.Integer(),
  lastAttemptAt: Nullable(Moment),
  lastError: Nullable(
    Type.String({ description: 'A short reason. The log has the reason why no mail server was reached.' }),
  ),
  answer: Nullable(
    Type.String({
      description: 'The mail server’s answer when it accepted or refused the mail.',
      examples: ['250 2.0.0 Ok: queued as 4F1B2'],
    }),
  ),
}
const MailDeliverySchema = Type.Object(MailDeliveryFields)

export function toMailDelivery(mail: MailStatus): Static<typeof MailDeliverySchema> {
  return {
    status: mail.status,
    attempts: mail.attempts,
    lastAttemptAt: toIsoOrNull(mail.lastAttemptAt),
    lastError: mail.lastError,
    answer: mail.answer,
  }
}
