import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { type Id, newId, readId } from '../../core/id.ts'
import { LIFETIME } from '../../core/limits.ts'
import { newToken, type Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { DEVICE_GRANT } from './built-in-clients.ts'
import type { ClientMetadata } from './client-rules.ts'

/** The maximum number of dynamically registered clients without a grant. A new one beyond it removes the oldest. */
const MOST_UNUSED = 5_000

/** A stored client with its secret opened; undefined where it is missing or has expired. */
export async function findClient(
  db: Db | Tx,
  vault: Vault,
  clientId: string,
  now: Millis,
): Promise<{ row: Tables['oauth_client']; metadata: ClientMetadata } | undefined> {
  // Only the exact spelling is accepted, because tokens contain the id.
  if (readId('oauthClient', clientId) !== clientId) return undefined
  const row = await db
    .selectFrom('oauth_client')
    .selectAll()
    .where('id', '=', clientId as Id<'oauthClient'>)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const secret =
    row.secret === null ? {} : { client_secret: vault.open(row.secret, sealContext('oauth_client', row.id)) }
  const metadata = { ...JSON.parse(row.metadata), client_id: row.id, ...secret } as ClientMetadata
  return { row, metadata }
}

interface NewClient {
  metadata: ClientMetadata
  origin: Tables['oauth_client']['origin']
  organizationId: Id<'organization'> | null
  createdBy: string | null
}

export const newClientId = (now: Millis): Id<'oauthClient'> => newId('oauthClient', now)

/** Inserts a client. A dynamic registration beyond the maximum removes the oldest clients without a grant. */
export async function insertClient(
  tx: Tx,
  vault: Vault,
  { metadata, origin, organizationId, createdBy }: NewClient,
  now: Millis,
): Promise<void> {
  const { client_id, client_secret, ...rest } = metadata
  const id = client_id as Id<'oauthClient'>
  await tx
    .insertInto('oauth_client')
    .values({
      ...{ id, organization_id: organizationId, origin, created_by: createdBy, created_at: now },
      name: typeof rest.client_name === 'string' ? rest.client_name : '',
      metadata: JSON.stringify(rest),
      secret: client_secret === undefined ? null : vault.seal(client_secret, sealContext('oauth_client', id)),
      used_at: null,
      expires_at: origin === 'dynamic' ? now + LIFETIME.unusedClient : null,
    })
    .execute()
  if (origin !== 'dynamic') return
  await sql`delete from oauth_client where origin = 'dynamic' and used_at is null and id <= (
    select id from oauth_client where origin = 'dynamic' and used_at is null
    order by id desc limit 1 offset ${MOST_UNUSED})`.execute(tx)
}

interface RegisteredClient {
  name: string
  /** Redirect URIs that `redirectProblem` has accepted. */
  redirectUris: string[]
  /** URIs to which it may send a browser after a sign-out. */
  postLogoutRedirectUris: string[]
  /** Whether it has a secret for the token endpoint. */
  isConfidential: boolean
  /** Whether it may use the device flow; a client that does needs no redirect URI. */
  usesDeviceFlow: boolean
  /** The only organization that may grant it access; null: any. */
  organizationId: Id<'organization'> | null
}

/** Adds a client for the operator. @returns its row and its secret, which is stored sealed */
export async function addRegisteredClient(
  tx: Tx,
  vault: Vault,
  {
    name,
    redirectUris,
    postLogoutRedirectUris,
    isConfidential,
    usesDeviceFlow,
    organizationId,
  }: RegisteredClient,
  now: Millis,
): Promise<{ row: Tables['oauth_client']; clientSecret: string | null }> {
  const id = newClientId(now)
  const clientSecret = isConfidential ? newToken() : null
  const metadata: ClientMetadata = {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    ...(postLogoutRedirectUris.length === 0 ? {} : { post_logout_redirect_uris: postLogoutRedirectUris }),
    grant_types: [
      ...(redirectUris.length > 0 ? ['authorization_code'] : []),
      ...(usesDeviceFlow ? [DEVICE_GRANT] : []),
      'refresh_token',
    ],
    response_types: redirectUris.length > 0 ? ['code'] : [],
    token_endpoint_auth_method: isConfidential ? 'client_secret_basic' : 'none',
    ...(clientSecret === null ? {} : { client_secret: clientSecret }),
  }
  await insertClient(tx, vault, { metadata, origin: 'registered', organizationId, createdBy: null }, now)
  const row = await tx.selectFrom('oauth_client').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { row, clientSecret }
}

/** Records a grant to a client, or new tokens of it. It extends the life of a dynamically registered client. */
export async function noteClientUse(tx: Tx, clientId: string, now: Millis): Promise<void> {
  await tx
    .updateTable('oauth_client')
    .set({
      used_at: now,
      expires_at: sql<Millis | null>`case when expires_at is null then expires_at else ${now + LIFETIME.usedClient} end`,
    })
    .where('id', '=', clientId as Id<'oauthClient'>)
    .execute()
}
