import { type Millis, toIso } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { isLocalhost } from '../../core/text/secure-url.ts'
import { getOwned } from '../../db/owned-row.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { callerOf } from '../../http/principal.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, Moment, Nullable, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { callFailureIn } from '../../net/call.ts'
import { createProviderFetch } from '../../oauth/provider-fetch.ts'
import type { AccessDeps } from '../deps.ts'
import { openProvider } from './open-providers.ts'
import { readSaml } from './saml-settings.ts'

type Provider = Tables['identity_provider']

/** What is wrong with an identity provider, in the catalogue's terms. */
interface Finding {
  code: 'INTEGRATION_PROVIDER_ERROR' | 'VALIDATION_FAILED'
  reason: string
  /** The member of the provider that it is about. */
  field: string
}

/** `POST /v1/identity-providers/{id}/test`. */
export function testProviderRoutes(
  server: Server,
  deps: Pick<AccessDeps, 'config' | 'clock' | 'database' | 'vault' | 'checkedAgent'>,
): void {
  server.post(
    '/v1/identity-providers/:id/test',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Identity providers'],
        operationId: 'testIdentityProvider',
        summary: 'Test an identity provider',
        description:
          'Checks everything that does not require a person. OpenID Connect: the metadata belong to the issuer and name all endpoints, and the keys can be read. SAML: the certificates are valid today, and the sign-on address answers; an address that only browsers can reach is a harmless finding. Problems are results, not errors. Only a sign-in shows whether the client secret, and the settings at the provider, are right.',
        params: strict({ id: IdSchema('identityProvider') }),
        response: {
          200: Type.Object(
            {
              works: Type.Boolean(),
              findings: Type.Array(
                Type.Object({
                  code: Type.String({ enum: ['INTEGRATION_PROVIDER_ERROR', 'VALIDATION_FAILED'] }),
                  reason: Type.String(),
                  field: Type.String(),
                }),
              ),
              certificatesEndAt: Nullable(Moment),
            },
            { title: 'IdentityProviderTest' },
          ),
        },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const row = await getOwned(deps.database.db, 'identity_provider', request.params.id, organizationId)
      const findings =
        row.kind === 'saml' ? await testSaml(row, request.now) : await testOpenId(row, request.now)
      const endAt = row.certificates_end_at
      return {
        works: findings.length === 0,
        findings,
        certificatesEndAt: endAt === null ? null : toIso(endAt),
      }
    },
  )

  async function testOpenId(row: Provider, now: Millis): Promise<Finding[]> {
    if (row.secret === null)
      return [{ code: 'VALIDATION_FAILED', reason: 'no_secret', field: 'oidc.clientSecret' }]
    try {
      // A new client, because that of sign-ins has cached metadata and keys.
      await openProvider(deps, row).check(now)
      return []
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'INTEGRATION_PROVIDER_ERROR') throw error
      const { reason } = error.details as { reason: string }
      return [{ code: error.code, reason, field: 'oidc.issuer' }]
    }
  }

  async function testSaml(row: Provider, now: Millis): Promise<Finding[]> {
    const { certificates, signOnUrl } = readSaml(row)
    const field = 'saml.certificates'
    const reasonOf = ({ notBefore, notAfter }: (typeof certificates)[number]) =>
      notAfter <= now ? 'certificate_expired' : notBefore > now ? 'certificate_not_yet_valid' : undefined
    const reasons = certificates.map(reasonOf)
    // An expired certificate is correct while another one is valid.
    const ofAll = reasons.every((reason) => reason !== undefined) ? [...new Set(reasons)] : []
    const wrong = ofAll.map((reason): Finding => ({ code: 'VALIDATION_FAILED', reason: reason ?? '', field }))
    const unreached = await reach(row, signOnUrl)
    return [
      ...wrong,
      ...(unreached === undefined
        ? []
        : [{ code: 'INTEGRATION_PROVIDER_ERROR', reason: unreached, field: 'saml.signOnUrl' } as const]),
    ]
  }

  /**
   * Why an address does not answer; undefined where it answers, even if it refuses a request without a
   * message.
   */
  async function reach({ organization_id: owner }: Provider, address: string): Promise<string | undefined> {
    const { clock, checkedAgent: agent } = deps
    const allowHttp = isLocalhost(new URL(address).hostname)
    const fetchProvider = createProviderFetch({ clock, allowHttp, agent, owner })
    try {
      const { status } = await fetchProvider(address, { method: 'GET', headers: { accept: 'text/html' } })
      return status === 404 || status === 410 || status >= 500 ? `status_${status}` : undefined
    } catch (error) {
      const reason = callFailureIn(error)
      if (reason === undefined) throw error
      // These failures follow an answer.
      return reason === 'redirected' || reason === 'too_large' ? undefined : reason
    }
  }
}
