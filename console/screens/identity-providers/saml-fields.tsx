import type { IdentityProvider } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { AreaField, type FormState, TextField } from '../../parts/form.tsx'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import type { ProviderTexts } from './values.ts'

const END = '-----END CERTIFICATE-----'

/** The certificates of a text: one after the other, each as PEM, or a single one without its head. */
function certificatesOf(text: string): string[] {
  return text
    .split(END)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => (one.startsWith('-----') ? `${one}\n${END}` : one))
}

/** How a SAML provider is reached, for a request: its metadata say the rest where they are given. */
export function samlOf(values: ProviderTexts) {
  const metadata = values['saml.metadata'].trim()
  const certificates = certificatesOf(values['saml.certificates'])
  const logoutUrl = values['saml.logoutUrl'].trim()
  const attribute = values['saml.emailAttribute'].trim()
  const named = {
    entityId: values['saml.entityId'].trim(),
    signOnUrl: values['saml.signOnUrl'].trim(),
    ...(certificates.length === 0 ? {} : { certificates }),
    logoutUrl: logoutUrl === '' ? null : logoutUrl,
  }
  return { ...(metadata === '' ? named : { metadata }), emailAttribute: attribute === '' ? null : attribute }
}

/** Metadata that are pasted, or what they say; certificates of before stay where none is entered. */
export function SamlFields({
  of,
  provider,
}: {
  of: FormState<ProviderTexts>
  provider?: IdentityProvider | undefined
}) {
  const isPasted = of.values['saml.metadata'].trim() !== ''
  return (
    <>
      <AreaField
        of={of}
        name="saml.metadata"
        label="Metadata"
        optional
        mono
        placeholder="<EntityDescriptor …>"
        hint="The XML that the provider gives. It says all of the next four fields."
      />
      {!isPasted && (
        <>
          <TextField of={of} name="saml.entityId" label="Entity ID of the provider" mono />
          <TextField of={of} name="saml.signOnUrl" label="Sign-on URL" mono inputMode="url" />
          <TextField
            of={of}
            name="saml.logoutUrl"
            label="Sign-out URL"
            optional
            mono
            inputMode="url"
            hint="Where the provider takes single logout; without it, signing out ends the session here alone."
          />
          <AreaField
            of={of}
            name="saml.certificates"
            label="Certificates"
            optional={provider !== undefined}
            mono
            placeholder="-----BEGIN CERTIFICATE-----"
            hint={
              provider === undefined
                ? 'One or more, one after the other.'
                : 'Empty keeps the present ones; others replace all of them.'
            }
          />
        </>
      )}
      {provider?.saml && (
        <Facts
          rows={provider.saml.certificates.map(
            ({ fingerprint, subject, notAfter }) =>
              [
                'Present certificate',
                <span key={fingerprint}>
                  {textOf(subject)}, ends <Time at={notAfter} />
                </span>,
              ] as const,
          )}
        />
      )}
      <TextField
        of={of}
        name="saml.emailAttribute"
        label="Attribute with the e-mail address"
        optional
        mono
        hint="Without it, one of the usual names."
      />
    </>
  )
}
