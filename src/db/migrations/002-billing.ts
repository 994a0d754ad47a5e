import type { Dialect } from '../engine.ts'

export const name = 'billing: flags of modules, credits'

export function statements({ integer, table }: Dialect): string[] {
  return [
    `alter table organization add column flags text not null default '{}'`,
    `create table credit_account (
      organization_id text primary key references organization (id) on delete cascade,
      anchor_at ${integer} not null,
      cycle_start ${integer} not null,
      cycle_end ${integer} not null,
      cycle_granted ${integer} not null
    )${table}`,
    `create index credit_account_due on credit_account (cycle_end)`,
    `create table ledger_entry (
      id text primary key,
      organization_id text not null references organization (id),
      sequence ${integer} not null,
      key text not null,
      kind text not null check (kind in ('renewal', 'expiry', 'upgrade', 'grant', 'purchase', 'debit', 'reversal')),
      cycle_amount ${integer} not null,
      purchased_amount ${integer} not null,
      cycle_balance ${integer} not null check (cycle_balance >= 0),
      purchased_balance ${integer} not null check (purchased_balance >= 0),
      price ${integer},
      action text,
      reference text,
      reason text,
      actor_id text,
      created_at ${integer} not null,
      unique (organization_id, sequence),
      unique (organization_id, key)
    )${table}`,
    `create table reservation (
      id text primary key,
      organization_id text not null references organization (id) on delete cascade,
      action text not null,
      reference text not null,
      price ${integer} not null check (price >= 0),
      amount ${integer} not null check (amount >= 0),
      status text not null check (status in ('held', 'settled', 'released', 'expired')),
      created_at ${integer} not null,
      expires_at ${integer} not null
    )${table}`,
    `create index reservation_held on reservation (organization_id) where status = 'held'`,
    `create index reservation_age on reservation (expires_at)`,
  ]
}
