import type { Db, Tx } from '../db/database.ts'

/** All organizations, for the operator, each with the numbers of its members and other things that cost. */
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
