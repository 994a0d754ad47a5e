import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Tx } from '../../db/database.ts'
import type { MailTemplate } from '../../mail/mail-templates.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { SetupLink } from './setup-link-wire.ts'

/** Sends a mail to the member who made a setup link. Links that a key made have no recipient; the audit log has the event. */
export async function mailCreator(
  tx: Tx,
  outbox: Outbox,
  { created_by, organization_id }: Pick<SetupLink, 'created_by' | 'organization_id'>,
  template: MailTemplate,
  now: Millis,
): Promise<void> {
  if (created_by === null) return
  const maker = await tx
    .selectFrom('account')
    .innerJoin('membership', 'membership.account_id', 'account.id')
    .select('account.email')
    .where('account.id', '=', created_by as Id<'account'>)
    .where('membership.organization_id', '=', organization_id)
    .executeTakeFirst()
  if (maker === undefined) return
  await outbox.queue(tx, now, { to: maker.email, organizationId: organization_id, template })
}
