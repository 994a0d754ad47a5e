import type { Dialect } from '../engine/engine.ts'

export interface Migration {
  /** What the database records of it. */
  name: string
  /**
   * Set for a step that removes or requires something on which earlier programs depend: the oldest schema
   * version whose program still works after it. Other steps only add, and keep the floor.
   * `test/migrations.test.ts` checks that.
   */
  floor?: number
  read: () => Promise<{ statements: (dialect: Dialect) => string[] }>
}

/**
 * Every step of the schema; its position is its version. A released migration is never edited:
 * `test/migrations.test.ts` compares the digest of its statements. A start on the newest schema reads none.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'organizations', read: () => import('./001-organizations.ts') },
  { name: 'access', read: () => import('./002-access.ts') },
  { name: 'audit', read: () => import('./003-audit.ts') },
  { name: 'oauth', read: () => import('./004-oauth.ts') },
  { name: 'mail', read: () => import('./005-mail.ts') },
  { name: 'http', read: () => import('./006-http.ts') },
  { name: 'jobs', read: () => import('./007-jobs.ts') },
  { name: 'webhooks', read: () => import('./008-webhooks.ts') },
  { name: 'delivery', read: () => import('./009-delivery.ts') },
  { name: 'billing', read: () => import('./010-billing.ts') },
  { name: 'connections', read: () => import('./011-connections.ts') },
  { name: 'blobs', read: () => import('./012-blobs.ts') },
  { name: 'files', read: () => import('./013-files.ts') },
  { name: 'knowledge', read: () => import('./014-knowledge.ts') },
  { name: 'agents', read: () => import('./015-agents.ts') },
  { name: 'live', read: () => import('./016-live.ts') },
  { name: 'db', read: () => import('./017-db.ts') },
  { name: 'external ids', read: () => import('./018-external-ids.ts') },
  { name: 'key scopes', read: () => import('./019-key-scopes.ts') },
  { name: 'service accounts', read: () => import('./020-service-accounts.ts') },
  { name: 'platform keys', read: () => import('./021-platform-keys.ts') },
  { name: 'leases', floor: 22, read: () => import('./022-leases.ts') },
  { name: 'key expiry', read: () => import('./023-key-expiry.ts') },
  { name: 'ended keys', read: () => import('./024-ended-keys.ts') },
  { name: 'second factors', read: () => import('./025-second-factors.ts') },
  { name: 'oauth grants', read: () => import('./026-oauth-grants.ts') },
  { name: 'imported hashes', read: () => import('./027-imported-hashes.ts') },
  { name: 'roles', read: () => import('./028-roles.ts') },
  { name: 'languages', read: () => import('./029-languages.ts') },
  { name: 'domains', read: () => import('./030-domains.ts') },
  { name: 'audit streams', read: () => import('./031-audit-streams.ts') },
  { name: 'listeners', read: () => import('./032-listeners.ts') },
  { name: 'scim', read: () => import('./033-scim.ts') },
  { name: 'identity providers', read: () => import('./034-identity-providers.ts') },
  { name: 'factor grace', read: () => import('./035-factor-grace.ts') },
  { name: 'saml', read: () => import('./036-saml.ts') },
  { name: 'provider logout', read: () => import('./037-provider-logout.ts') },
  { name: 'setup links', read: () => import('./038-setup-links.ts') },
  { name: 'provider sign-out', read: () => import('./039-provider-sign-out.ts') },
  { name: 'saml keys', read: () => import('./041-saml-keys.ts') },
  { name: 'scim exchanges', read: () => import('./042-scim-exchanges.ts') },
  { name: 'retired secrets', read: () => import('./043-retired-secrets.ts') },
  { name: 'scim places', read: () => import('./044-scim-places.ts') },
]

/** The version of the schema that this program works with. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** @returns the oldest version of the schema whose program works on one that has had these migrations */
export function floorOf(migrations: readonly Migration[]): number {
  return Math.max(1, ...migrations.map(({ floor = 1 }) => floor))
}
