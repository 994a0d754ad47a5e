import { BINDING, NAMESPACE } from './names.ts'
import { xmlText } from './read-xml.ts'

/** Those that are taken without a signed response. */
const ENCRYPTION_METHODS = [
  `${NAMESPACE.encryption11}aes256-gcm`,
  `${NAMESPACE.encryption11}aes128-gcm`,
  `${NAMESPACE.encryption}rsa-oaep-mgf1p`,
]

/**
 * What an identity provider has to know of us, as the document that it can read (SAML 2.0 Metadata 2.4.4).
 * @param certificate PEM, to whose key it may encrypt
 */
export function ownMetadata(
  { entityId, acsUrl }: { entityId: string; acsUrl: string },
  certificate: string,
): string {
  const base64 = certificate.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')
  const methods = ENCRYPTION_METHODS.map((method) => `\n      <md:EncryptionMethod Algorithm="${method}"/>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACE.metadata}" entityID="${xmlText(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${NAMESPACE.protocol}">
    <md:KeyDescriptor use="encryption">
      <ds:KeyInfo xmlns:ds="${NAMESPACE.signature}"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods.join('')}
    </md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:AssertionConsumerService index="0" isDefault="true" Binding="${BINDING.post}" Location="${xmlText(acsUrl)}"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}
