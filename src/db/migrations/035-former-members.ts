import type { Dialect } from '../engine/engine.ts'

export const name = 'names of former members'

/** Members who left before are named as their account is named at present; those whose account is deleted have no name. */
export function statements({ integer, table }: Dialect): string[] {
  return [
    `create table former_member (
      organization_id text not null references organization (id) on delete cascade,
      account_id text not null references account (id) on delete cascade,
      name text not null,
      left_at ${integer} not null,
      primary key (organization_id, account_id)
    )${table}`,
    'create index former_member_account on former_member (account_id)',
    `insert into former_member (organization_id, account_id, name, left_at)
      select organization.id, account.id,
        coalesce(
          nullif(trim(coalesce(account.first_name, '') || ' ' || coalesce(account.last_name, '')), ''),
          account.email
        ),
        max(audit.created_at)
      from organization
      join audit on audit.organization_id = organization.id and audit.action = 'member.removed'
      join account on account.id = audit.target_id
      where organization.deleted_at is null and not exists (
        select 1 from membership
        where membership.organization_id = organization.id and membership.account_id = account.id
      )
      group by organization.id, account.id, account.first_name, account.last_name, account.email`,
  ]
}
