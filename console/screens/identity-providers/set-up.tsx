import type { IdentityProvider } from '#sdk/postern.ts'
import { to } from '../../app/router.ts'
import { textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/page.tsx'

/** What is registered at the provider, to be copied. */
export function SetUp({
  provider,
  hasDomain,
  onClose,
}: {
  provider: IdentityProvider
  hasDomain: boolean
  onClose: () => void
}) {
  return (
    <Dialog title={`Set up ${textOf(provider.name)}`} wide onClose={onClose}>
      <div class="stack">
        <p>
          {provider.saml
            ? 'Register this at the provider, by the metadata or by hand.'
            : 'Register this callback address at the provider, as the redirect URI of a web application.'}
        </p>
        <Facts
          rows={[
            ['Callback address', <IdText key="uri" id={provider.redirectUri} what="callback address" />],
            provider.oidc != null &&
              provider.endsProviderSession && [
                'Address after signing out',
                <IdText
                  key="signed-out"
                  id={provider.oidc.postLogoutRedirectUri}
                  what="address after signing out"
                />,
              ],
            provider.saml != null && [
              'Entity ID',
              <IdText key="entity" id={provider.saml.ownEntityId} what="entity ID" />,
            ],
            provider.saml != null && [
              'Metadata URL',
              <IdText key="metadata" id={provider.saml.ownMetadataUrl} what="metadata URL" />,
            ],
            provider.saml != null && [
              'Certificate for encryption',
              <IdText
                key="certificate"
                id={provider.saml.ownCertificateUrl}
                what="address of the certificate"
              />,
            ],
            provider.saml != null && [
              'Certificate for signatures',
              <IdText
                key="signing-certificate"
                id={provider.saml.ownSigningCertificateUrl}
                what="address of the certificate for signatures"
              />,
            ],
            provider.saml != null && [
              'Sign-out address',
              <IdText key="logout" id={provider.saml.ownLogoutUrl} what="sign-out address" />,
            ],
            ['ID', <IdText key="id" id={provider.id} />],
          ]}
        />
        {!hasDomain && (
          <p>
            People come in with addresses of a proven domain: <a href={to('/domains')}>add a domain</a> next.
          </p>
        )}
        <div class="row dialog-foot">
          <Button kind="primary" onPress={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
