import type { Db, Tx } from '../../db/database.ts'

/** Setup links joined with their identity providers, where the last change of the provider is one by the link. */
export const linksWithProviders = (db: Db | Tx) =>
  db
    .selectFrom('setup_link')
    .innerJoin('identity_provider', (join) =>
      join
        .onRef('identity_provider.id', '=', 'setup_link.identity_provider_id')
        .onRef('identity_provider.updated_at', '=', 'setup_link.provider_changed_at'),
    )
