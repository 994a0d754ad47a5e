import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { readId } from '../../core/id.ts'
import { hashToken } from '../../core/secret.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Server } from '../../http/server.ts'
import { endProviderSessions } from '../accounts/end-provider-entry.ts'
import { takeForms } from '../authorization/forms.ts'
import type { AccessDeps } from '../deps.ts'
import { LOGOUT_TOKEN_AGE, type LogoutClaims } from '../social/logout-token.ts'
import type { OpenProviders } from './open-providers.ts'

type Provider = Tables['identity_provider']

/** The longest form with a logout token. */
const LONGEST_TOKEN = 16_384

/**
 * `POST /v1/auth/logout/{id}`, where OpenID providers of organizations say that a person has signed out there, from server to server
 * (OpenID Connect Back-Channel Logout 1.0). The sessions that the provider began for the person end, with what rests on them; where the
 * token names a session of the provider, that one alone.
 */
export function backChannelRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'database' | 'credentials'> & { openProviders: OpenProviders },
): void {
  const { database, credentials, openProviders } = deps
  void server.register(async (scope) => {
    takeForms(scope)
    scope.post<{ Params: { id: string }; Body: unknown }>(
      '/v1/auth/logout/:id',
      {
        config: { access: 'public', rates: ['authorizePerIp'], crossSite: true },
        schema: { hide: true },
      },
      async (request, reply) => {
        const { params, body, now } = request
        if (readId('identityProvider', params.id) !== params.id) throw new ApiError('ENTITY_NOT_FOUND', {})
        const provider = await database.db
          .selectFrom('identity_provider')
          .selectAll()
          .where('id', '=', params.id as Provider['id'])
          .where('kind', '=', 'oidc')
          .where('status', '=', 'active')
          .executeTakeFirst()
        if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', {})
        const form = new URLSearchParams(typeof body === 'string' ? body : '')
        const token = form.get('logout_token') ?? ''
        if (token === '' || token.length > LONGEST_TOKEN) throw refused('missing')
        const claims = await openProviders(provider)
          .readLogout(token, now)
          .catch((error: unknown) => {
            if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') throw error
            throw refused((error.details as { check: string }).check)
          })
        await database.tx(async (tx) => {
          await countOnce(tx, provider, claims, now)
          const ended = await endProviderSessions(tx, {
            id: provider.id,
            ...(await whoseOf(tx, provider, claims)),
          })
          for (const { id, account_id } of ended)
            await audit(tx, trailOf(request), {
              action: 'sign_out',
              ...{ organizationId: provider.organization_id, accountId: account_id },
              ...{ actorId: provider.id, targetId: id },
              details: { how: 'back_channel' },
            })
          if (ended.length > 0) afterCommit(tx, credentials.clear)
        })
        return reply.code(200).send()
      },
    )
  })
}

/** The specification asks for 400. */
const refused = (reason: string) =>
  new ApiError('VALIDATION_FAILED', { field: 'logout_token', value: '[redacted]', reason })

/** @throws ApiError VALIDATION_FAILED `used` for a token that was sent before */
async function countOnce(
  tx: Tx,
  { id, organization_id }: Provider,
  claims: LogoutClaims,
  now: number,
): Promise<void> {
  await tx.deleteFrom('spent_logout').where('expires_at', '<=', now).execute()
  const added = await tx
    .insertInto('spent_logout')
    .values({
      ...{ identity_provider_id: id, organization_id, token_hash: hashToken(claims.id) },
      expires_at: now + 2 * LOGOUT_TOKEN_AGE,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  if (added === undefined) throw refused('used')
}

async function whoseOf(tx: Tx, { id }: Provider, { subject, session }: LogoutClaims) {
  if (session !== undefined) return { sessionHash: hashToken(session) }
  const identity = await tx
    .selectFrom('identity')
    .select('account_id')
    .where('provider', '=', id)
    .where('subject', '=', subject ?? '')
    .executeTakeFirst()
  // An account that there is not has no session.
  return { accountId: identity?.account_id ?? null }
}
