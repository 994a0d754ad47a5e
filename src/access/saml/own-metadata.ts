import { BINDING, NAMESPACE } from './names.ts'
import { xmlText } from './read-xml.ts'

/** The encryption methods that need no signed response. */
const ENCRYPTION_METHODS = [
  `${NAMESPACE.encryption11}aes256-gcm`,
  `${NAMESPACE.encryption11}aes128-gcm`,
  `${NAMESPACE.encryption}rsa-oaep-mgf1p`,
]

/**
 * Writes the metadata of Postern for an identity provider (SAML 2.0 Metadata 2.4.4).
 * @param certificates PEM: of the encryption key, and of all keys that may sign
 */
export function ownMetadata(
  { entityId, acsUrl, logoutUrl }: { entityId: string; acsUrl: string; logoutUrl: string },
  { encryption, signing }: { encryption: string; signing: readonly string[] },
): string {
  const keyInfo = (certificate: string) =>
    `<ds:KeyInfo xmlns:ds="${NAMESPACE.signature}"><ds:X509Data><ds:X509Certificate>${certificate.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`
  const signers = signing.map(
    (certificate) => `
    <md:KeyDescriptor use="signing">
      ${keyInfo(certificate)}
    </md:KeyDescriptor>`,
  )
  const logouts = [BINDING.redirect, BINDING.post].map(
    (binding) => `\n    <md:SingleLogoutService Binding="${binding}" Location="${xmlText(logoutUrl)}"/>`,
  )
  const methods = ENCRYPTION_METHODS.map((method) => `\n      <md:EncryptionMethod Algorithm="${method}"/>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACE.metadata}" entityID="${xmlText(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${NAMESPACE.protocol}">${signers.join('')}
    <md:KeyDescriptor use="encryption">
      ${keyInfo(encryption)}${methods.join('')}
    </md:KeyDescriptor>${logouts.join('')}
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:AssertionConsumerService index="0" isDefault="true" Binding="${BINDING.post}" Location="${xmlText(acsUrl)}"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}
