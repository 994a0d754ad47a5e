import type { Dialect } from '../engine/engine.ts'

/** The tables of `billing/`. */
export function statements({ integer, table, appendOnly }: Dialect): string[] {
  return [
    // The billing cycle of each organization. A change of credits locks its row. The balance is in `ledger_entry`.
    `create table credit_account (
      organization_id text primary key references organization (id) on delete cascade,
      anchor_at ${integer} not null,
      cycle_start ${integer} not null,
      cycle_end ${integer} not null,
      cycle_granted ${integer} not null
    )${table}`,
    `create index credit_account_end on credit_account (cycle_end)`,
    `create index credit_account_start on credit_account (cycle_start)`,
    // The ledger of credits, append-only. `sequence` has no gap; the balances of the last entry are the balance.
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
    ...appendOnly('ledger_entry'),
    // Credits that are set aside for work under way.
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
    // Purchases of credits or of a plan. `closing` is 1 while the provider has still to be told that nothing may be paid.
    `create table checkout (
      id text primary key,
      organization_id text not null references organization (id),
      credits ${integer},
      plan text,
      amount ${integer} not null check (amount >= 0),
      currency text not null,
      provider text not null,
      provider_reference text unique,
      url text not null,
      status text not null check (status in ('open', 'paid', 'expired', 'refunded')),
      created_by text,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      paid_at ${integer},
      closing ${integer} not null default 0,
      check ((credits is null) <> (plan is null))
    )${table}`,
    `create index checkout_organization on checkout (organization_id, id)`,
    `create index checkout_open on checkout (id) where status = 'open'`,
    `create index checkout_unpaid on checkout (expires_at) where status in ('open', 'expired')`,
    `create index checkout_closing on checkout (expires_at) where closing = 1`,
    // Plans that the payment provider charges for each cycle. `id` is the provider's own.
    `create table subscription (
      id text primary key,
      organization_id text not null references organization (id),
      checkout_id text not null references checkout (id),
      plan text not null,
      plan_before text not null,
      status text not null check (status in ('active', 'ending', 'ended')),
      created_at ${integer} not null,
      updated_at ${integer} not null
    )${table}`,
    `create index subscription_organization on subscription (organization_id)`,
    `create index subscription_checkout on subscription (checkout_id)`,
    `create index subscription_ending on subscription (id) where status = 'ending'`,
  ]
}
