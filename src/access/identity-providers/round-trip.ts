import type { FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { hashToken } from '../../core/secret.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'
import { authnRequestUrl, newMessageId } from '../saml/authn-request.ts'
import type { SamlClaims } from '../saml/read-response.ts'
import { newSecrets, type ReturnedFlow } from '../social/callback.ts'
import type { OpenProviders } from './open-providers.ts'
import { readOidc } from './provider-wire.ts'
import { samlVouched } from './read-attributes.ts'
import { readVouched, type Vouched } from './read-claims.ts'
import { ownNamesOf, readSaml } from './saml-settings.ts'

type Provider = Tables['identity_provider']

type Secrets = ReturnType<typeof newSecrets> & { requestId?: string }

/** The round trip of a browser through an organization's identity provider of either kind. */
export interface RoundTrip {
  /**
   * Makes the address for the browser, and the secrets of its flow.
   * @param hint the email address of the person, if known
   * @throws ApiError INTEGRATION_PROVIDER_ERROR
   */
  begin(provider: Provider, now: Millis, hint?: string): Promise<{ authUrl: string; secrets: Secrets }>
  /**
   * Reads the verified statement of the provider about the person.
   * @throws ApiError UNAUTHORIZED, INTEGRATION_PROVIDER_ERROR
   */
  vouchedBy(provider: Provider, request: FastifyRequest, returned: ReturnedFlow): Promise<Vouched>
}

export function createRoundTrip({
  config,
  openProviders,
}: Pick<AccessDeps, 'config'> & { openProviders: OpenProviders }): RoundTrip {
  return {
    async begin(provider, now, hint) {
      const secrets = newSecrets()
      if (provider.kind === 'oidc')
        return { secrets, authUrl: await openProviders(provider).authorizationUrl(secrets, now, hint) }
      const requestId = newMessageId()
      const own = ownNamesOf(config.web.baseUrl, provider.id)
      const authUrl = await authnRequestUrl(readSaml(provider), own, { requestId, state: secrets.state, now })
      return { secrets: { ...secrets, requestId }, authUrl }
    },
    async vouchedBy(provider, { now }, { state, query, flow }) {
      if (provider.kind === 'saml')
        return samlVouched(answerOf(flow, query.get('code') ?? ''), readSaml(provider))
      const { claims, idToken } = await openProviders(provider).exchange(query, { ...flow, state }, now)
      const vouched = readVouched(readOidc(provider).issuer, claims)
      if (vouched === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'no_key' })
      return { ...vouched, hint: idToken }
    },
  }
}

/**
 * @param code the code of the browser that posted the answer
 * @throws ApiError UNAUTHORIZED
 */
function answerOf({ answer }: ReturnedFlow['flow'], code: string): SamlClaims {
  if (answer === undefined) throw new ApiError('UNAUTHORIZED', { reason: 'no_answer' })
  if (answer.codeHash !== hashToken(code)) throw new ApiError('UNAUTHORIZED', { reason: 'another_answer' })
  if ('refused' in answer.judged) throw new ApiError('UNAUTHORIZED', { reason: answer.judged.refused })
  return answer.judged
}
