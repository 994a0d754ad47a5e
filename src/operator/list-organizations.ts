import type { Db, Tx } from '../db/database.ts'

/** Selects all organizations with the counts of their members, webhooks and other limited rows. */
export function selectOrganizations(db: Db | Tx) {
  return db
    .selectFrom('organization')
    .select((of) => [
      'id',
      'name',
      'external_id',
      'plan',
      'flags',
      'created_at',
      'disabled_at',
      of
        .selectFrom('membership')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('membership.organization_id', '=', 'organization.id')
        .as('members'),
      of
        .selectFrom('webhook')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('webhook.organization_id', '=', 'organization.id')
        .where('webhook.status', '!=', 'deleted')
        .as('webhooks'),
    ])
    .where('deleted_at', 'is', null)
}
