import { BINDING, NAMESPACE } from './names.ts'
import { xmlText } from './read-xml.ts'

/** What an identity provider has to know of us, as the document that it can read (SAML 2.0 Metadata 2.4.4). */
export function ownMetadata({ entityId, acsUrl }: { entityId: string; acsUrl: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACE.metadata}" entityID="${xmlText(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${NAMESPACE.protocol}">
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:AssertionConsumerService index="0" isDefault="true" Binding="${BINDING.post}" Location="${xmlText(acsUrl)}"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}
