import type { Millis } from '../../core/clock.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AccessDeps } from '../deps.ts'
import { newMessageId } from '../saml/authn-request.ts'
import { logoutRequest, logoutResponse, type SamlHint } from '../saml/logout-messages.ts'
import { type MessageName, signedRedirect } from '../saml/redirect-binding.ts'
import { type OwnKeys, openOwnKey } from './own-keys.ts'
import { ownNamesOf, readSaml } from './saml-settings.ts'

type Provider = Tables['identity_provider']

/** A signed message to an identity provider: an address with the message in its query, or the content of a form. */
type Signed = { url: string } | { destination: string; xml: string }

/** Makes signed messages about sign-outs for SAML identity providers of organizations. */
export interface SamlLogout {
  /**
   * A request to end the session that a hint names.
   * @returns undefined if the provider has no address for it
   */
  request(
    provider: Provider,
    hint: SamlHint,
    relayState: string,
    now: Millis,
  ): Promise<{ requestId: string; signed: Signed } | undefined>
  /** The answer to a request whose sessions end; undefined if the provider has no address for it. @throws ApiError RATE_LIMITED */
  answer(
    provider: Provider,
    { id, relayState }: { id: string; relayState: string },
    now: Millis,
  ): Promise<Signed | undefined>
}

export function createSamlLogout({
  config,
  vault,
  saml,
  ownKeys,
}: Pick<AccessDeps, 'config' | 'vault' | 'saml'> & { ownKeys: OwnKeys }): SamlLogout {
  const { baseUrl } = config.web

  async function send(
    provider: Provider,
    destination: string,
    message: { name: MessageName; xml: string; relayState: string },
    now: Millis,
  ): Promise<Signed> {
    // A replaced key signs until its end, because the provider may not have the newest certificate yet.
    const key = (await ownKeys.ensure(provider, 'signing', now)).at(-1)
    if (key === undefined) throw new Error('an identity provider has no key that signs')
    const privateKey = openOwnKey(vault, key)
    if (readSaml(provider).logoutBinding === 'redirect')
      return { url: await signedRedirect(destination, message, privateKey) }
    const by = { privateKey, certificate: key.certificate }
    return { destination, xml: await saml.sign(provider.organization_id, message.xml, by) }
  }

  return {
    async request(provider, hint, relayState, now) {
      const { logoutUrl } = readSaml(provider)
      if (logoutUrl === null) return undefined
      const { entityId: issuer } = ownNamesOf(baseUrl, provider.id)
      const requestId = newMessageId()
      const xml = logoutRequest({ id: requestId, issuer, destination: logoutUrl, now }, hint)
      return {
        requestId,
        signed: await send(provider, logoutUrl, { name: 'SAMLRequest', xml, relayState }, now),
      }
    },
    async answer(provider, { id, relayState }, now) {
      const { logoutUrl, logoutResponseUrl } = readSaml(provider)
      const destination = logoutResponseUrl ?? logoutUrl
      if (destination === null) return undefined
      const { entityId: issuer } = ownNamesOf(baseUrl, provider.id)
      const xml = logoutResponse({ id: newMessageId(), issuer, destination, now }, id)
      return send(provider, destination, { name: 'SAMLResponse', xml, relayState }, now)
    },
  }
}
