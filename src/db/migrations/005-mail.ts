import type { Dialect } from '../engine/engine.ts'

/** The table of `mail/`. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    // Outgoing mails. `body` is sealed, and empty after the mail is sent. `share` is an organization's id, or '' for a mail
    // that a person asked for.
    `create table mail (
      id text primary key,
      recipient text not null,
      subject text not null,
      body text not null,
      invitation_id text references invitation (id) on delete set null,
      status text not null check (status in ('queued', 'sent', 'failed', 'not_configured')),
      attempts ${integer} not null,
      next_attempt_at ${integer} not null,
      last_attempt_at ${integer},
      last_error text,
      created_at ${integer} not null,
      share text not null default '',
      answer text
    )${table}`,
    `create index mail_queued on mail (share, id) where status = 'queued'`,
    `create index mail_failed on mail (share, id) where status = 'failed'`,
    `create index mail_invitation on mail (invitation_id, id)`,
    // The list of the mails of an organization.
    `create index mail_share on mail (share, id)`,
  ]
}
