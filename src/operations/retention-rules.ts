import { type RawBuilder, sql } from 'kysely'
import { DAY, type Millis } from '../core/clock.ts'
import { idFloor, type Kind } from '../core/id.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Tables } from '../db/tables/tables.ts'

/** The rule for old rows of one table. */
export interface RetentionRule {
  table: keyof Tables
  /** The indexed column in whose order rows are read in steps. */
  along: string
  /** Rows after this value are not read; without it all rows are. */
  until?: (now: Millis) => Millis | string
  /** The condition for removal; without it every row that is read is removed. */
  where?: (now: Millis) => RawBuilder<unknown>
  /**
   * Set where another transaction may refer to a row at the same time and its reference would be deleted with it. The row is locked before
   * the condition is checked, and skipped while another transaction holds it.
   */
  isPointedAt?: true
  /** A column with large values, for which a step removes fewer rows. */
  bytes?: string
}

/** Days of retention. */
export interface Retention {
  retentionDays: number
  auditDays: number
}

/** Unended deliveries stay at any age while their webhook exists; ended ones are kept from their end. */
const endedBefore = (moment: Millis) => sql`(
  (delivery.status in ('delivered', 'failed') and delivery.updated_at <= ${moment})
  or delivery.webhook_id in (select id from webhook where status = 'deleted' and updated_at <= ${moment}))`

/** The rules in order: rows are removed before the rows that they refer to. */
export function retentionRules({ retentionDays, auditDays }: Retention): RetentionRule[] {
  // Ids are ordered by time, so the primary key finds old rows.
  const retention = (kind: Kind, days = retentionDays) => ({
    along: 'id',
    until: (now: Millis) => idFloor(kind, now - days * DAY),
  })
  const expired = { along: 'expires_at', until: (now: Millis) => now }
  return [
    { table: 'session', ...expired },
    // The last use has no index, because every use of a session writes it.
    {
      table: 'session',
      along: 'id',
      where: (now) => sql`last_seen_at <= ${now - LIFETIME.sessionIdle}`,
    },
    { table: 'one_time_token', ...expired },
    { table: 'pending_sign_in', ...expired },
    { table: 'passkey_challenge', ...expired },
    {
      table: 'second_factor',
      along: 'id',
      where: (now) => sql`confirmed_at is null and created_at <= ${now - LIFETIME.enrolment}`,
    },
    { table: 'social_state', ...expired },
    {
      table: 'setup_link',
      along: 'expires_at',
      until: (now) => now - retentionDays * DAY,
    },
    { table: 'platform_key_secret', along: 'key_hash', where: (now) => sql`expires_at <= ${now}` },
    { table: 'api_key_secret', along: 'key_hash', where: (now) => sql`expires_at <= ${now}` },
    { table: 'retired_secret', along: 'ended_at', until: (now) => now - LIFETIME.retiredSecret },
    {
      table: 'ended_key',
      along: 'id',
      where: () => sql`not exists (select 1 from ended_key as made where made.maker = ended_key.id)
        and not exists (select 1 from api_key where api_key.organization_id = ended_key.organization_id
          and (api_key.key_id = ended_key.id or api_key.rotated_with = ended_key.id))
        and not exists (select 1 from api_key_secret join api_key on api_key.id = api_key_secret.api_key_id
          where api_key.organization_id = ended_key.organization_id and api_key_secret.key_id = ended_key.id)`,
    },
    { table: 'connection_state', ...expired },
    { table: 'oauth_record', ...expired },
    { table: 'oauth_grant', ...expired },
    { table: 'oauth_client', ...expired },
    { table: 'sign_in_throttle', along: 'email_hash', where: (now) => sql`updated_at <= ${now - DAY}` },
    { table: 'rate_window', along: 'key', where: (now) => sql`expires_at <= ${now}` },
    { table: 'idempotency', along: 'created_at', until: (now) => now - LIFETIME.idempotencyKey },
    {
      table: 'scim_exchange',
      ...retention('scimExchange', Math.min(retentionDays, LIFETIME.scimExchange / DAY)),
    },
    // Entries wait for their streams, up to a limit (`audit-streams/expire-marks.ts`).
    { table: 'audit', ...retention('audit', auditDays), where: () => sql`unsent is null` },
    { table: 'job', ...retention('job'), where: () => sql`status <> 'pending'`, bytes: 'payload' },
    {
      table: 'job',
      along: 'id',
      where: () => sql`status <> 'pending' and exists (
        select 1 from organization where organization.id = job.organization_id and deleted_at is not null)`,
      bytes: 'payload',
    },
    { table: 'mail', ...retention('mail'), where: () => sql`status <> 'queued'`, bytes: 'body' },
    {
      table: 'attempt',
      ...retention('delivery'),
      along: 'delivery_id',
      where: (now) =>
        sql`exists (select 1 from delivery where delivery.id = attempt.delivery_id and ${endedBefore(now - retentionDays * DAY)})`,
      bytes: 'response_body',
    },
    { table: 'delivery', ...retention('delivery'), where: (now) => endedBefore(now - retentionDays * DAY) },
    { table: 'capture', ...retention('capture'), bytes: 'body' },
    {
      table: 'checkout',
      ...retention('checkout'),
      // A bank may confirm days after a checkout has ended, and the payment must find it.
      where: (now) => sql`status in ('open', 'expired')
        and expires_at <= ${now - Math.max(retentionDays * DAY, LIFETIME.settlement)}
        and not exists (select 1 from subscription where subscription.checkout_id = checkout.id)`,
    },
    // Steps are removed with their run; messages stay as long as their conversation.
    {
      table: 'run',
      ...retention('run'),
      where: () => sql`status in ('succeeded', 'failed', 'cancelled')`,
      bytes: 'output',
    },
    {
      table: 'agent',
      along: 'id',
      where: (now) => sql`status = 'deleted' and updated_at <= ${now - retentionDays * DAY}
        and not exists (select 1 from run where run.agent_id = agent.id)`,
    },
    // The ledger, which is never trimmed, has their charges.
    { table: 'reservation', ...retention('reservation'), where: () => sql`status <> 'held'` },
    { table: 'replay', ...retention('replay'), where: () => sql`status <> 'running'` },
    {
      table: 'event',
      ...retention('event'),
      // An event stays while it has deliveries.
      where: () => sql`not exists (select 1 from delivery where delivery.event_id = event.id)
        and not exists (select 1 from fan_out where fan_out.organization_id = event.organization_id)`,
      isPointedAt: true,
      bytes: 'body',
    },
    // The highest number stays, so that no number is given twice.
    {
      table: 'publisher',
      along: 'number',
      where: () => sql`not exists (select 1 from event where event.publisher = publisher.number)
        and number < (select max(number) from publisher)
        and (exists (select 1 from organization where organization.id = publisher.organization_id and deleted_at is not null)
          or not exists (select 1 from account where account.id = publisher.actor_id)
            and not exists (select 1 from service_account where service_account.id = publisher.actor_id)
            and not exists (select 1 from platform_key where platform_key.id = publisher.actor_id))`,
    },
    {
      table: 'webhook',
      along: 'id',
      where: (now) => sql`status = 'deleted' and updated_at <= ${now - retentionDays * DAY}
        and not exists (select 1 from delivery where delivery.webhook_id = webhook.id)
        and not exists (select 1 from delivery_count
          where delivery_count.organization_id = webhook.organization_id and delivery_count.webhook_id = webhook.id)`,
    },
  ]
}
