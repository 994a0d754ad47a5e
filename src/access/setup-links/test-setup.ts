import { audit, trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Db, noteChanges } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import type { Server } from '../../http/server.ts'
import type { AccessDeps } from '../deps.ts'
import { findDomainOwner } from '../domains/proven-domain.ts'
import { laterThan } from '../identity-providers/later-than.ts'
import type { Vouched } from '../identity-providers/read-claims.ts'
import type { RoundTrip } from '../identity-providers/round-trip.ts'
import type { RecordTest } from '../identity-providers/sign-in-sso.ts'
import { beginFlow } from '../social/callback.ts'
import { findSetup, lockSetup } from './lock-setup.ts'
import { lockOwnProvider } from './setup-provider.ts'
import { isChangeable, type TestResult } from './setup-wire.ts'

type Provider = Tables['identity_provider']

/** `POST /v1/setup/identity-provider/test`: a complete sign-in at the identity provider that begins no session. */
export function testSetupRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'database' | 'vault'> & { roundTrip: RoundTrip },
): void {
  const { config, database, roundTrip } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/setup/identity-provider/test',
    {
      config: { access: 'public', rates: ['signInPerIp'] },
      schema: {
        tags: ['Setup links'],
        operationId: 'testSetupProvider',
        summary: 'Try a sign-in at the identity provider',
        description:
          'Redirect the browser to `authUrl`. The provider sends the browser back to `/set-up`, and `GET /v1/setup` has the result. The test begins no session. A successful test enables the provider where the link `activates` it.',
        response: { 200: Type.Object({ authUrl: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { link } = await findSetup(database.db, request, cookies.setup, 'provider')
      const provider = await findProvider(database.db, link.identity_provider_id)
      if (provider === undefined) throw new ApiError('ENTITY_NOT_FOUND', { field: 'identityProvider' })
      if (!isChangeable(link, provider)) throw new ApiError('FORBIDDEN', { reason: 'changed_elsewhere' })
      const { authUrl, secrets } = await roundTrip.begin(provider, request.now)
      const back = `${config.web.appUrl}/set-up#provider`
      const cookie = await beginFlow(deps, request, provider.id, secrets, {
        ...{ callbackURL: back, errorCallbackURL: back, invitationToken: null, setupLinkId: link.id },
      })
      void reply.setCookie(cookie.name, cookie.value, cookie.options)
      return { authUrl }
    },
  )
}

/** Creates the function that records the result of a test in the link that began it. */
export function createTestRecorder({ database }: Pick<AccessDeps, 'database'>): RecordTest {
  return async (request, { setupLinkId, provider }, vouch) => {
    if (provider === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'provider_deleted' })
    const { now } = request
    const judged = await vouch(provider).then(
      async (vouched) => ({ works: true, reason: null, address: await judgeAddress(provider, vouched) }),
      (error: unknown) => ({ works: false, reason: reasonOf(error), address: null }),
    )
    const result: TestResult = { at: now, ...judged }
    await database.tx(async (tx) => {
      const named = { id: setupLinkId, organization_id: provider.organization_id }
      const link = await lockSetup(tx, named, now).catch((error: unknown) => {
        throw error instanceof ApiError ? new ApiError('UNAUTHORIZED', { reason: 'setup_ended' }) : error
      })
      const row = await lockOwnProvider(tx, link)
      // The result is valid only for the settings with which the answer was verified.
      if (row === undefined || row.updated_at !== provider.updated_at)
        throw new ApiError('UNAUTHORIZED', { reason: 'provider_changed' })
      const { organization_id: organizationId, id: actorId } = link
      const entry = { organizationId, actorId, targetId: row.id }
      const trail = trailOf(request)
      const isEnabled = result.works && link.activates === 1
      const changedAt = laterThan(row, now)
      await tx
        .updateTable('setup_link')
        .set({ test: JSON.stringify(result), ...(isEnabled && { provider_changed_at: changedAt }) })
        .where('id', '=', link.id)
        .execute()
      noteChanges(tx, 'setupLink', [link])
      await audit(tx, trail, {
        action: 'identity_provider.tested',
        ...entry,
        details: { works: result.works, reason: result.reason },
      })
      if (!isEnabled) return
      const columns = { status: 'active', updated_at: changedAt } as const
      await tx.updateTable('identity_provider').set(columns).where('id', '=', row.id).execute()
      noteChanges(tx, 'identityProvider', [row])
      await audit(tx, trail, {
        action: 'identity_provider.updated',
        ...entry,
        details: { changed: 'status', name: row.name, status: 'active' },
      })
    })
  }

  async function judgeAddress(
    { organization_id }: Provider,
    { email }: Vouched,
  ): Promise<TestResult['address']> {
    if (email === undefined) return 'none'
    const owner = await findDomainOwner(database.db, email)
    return owner?.organization_id === organization_id ? 'proven' : 'not_proven'
  }
}

/** Why a test sign-in failed, as a reason of the catalogue. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) throw error
  const { reason, check } = error.details as { reason?: string; check?: string }
  return (check ?? reason ?? error.code).slice(0, 64)
}

function findProvider(db: Db, id: Provider['id']): Promise<Provider | undefined> {
  return db.selectFrom('identity_provider').selectAll().where('id', '=', id).executeTakeFirst()
}
