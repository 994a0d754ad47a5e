import type { IdentityProvider, UpdateIdentityProviderBody } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'
import { type FormState, TextField } from '../../parts/form.tsx'
import { SamlFields, samlOf } from './saml-fields.tsx'
import type { ProviderTexts } from './values.ts'

export type Kind = IdentityProvider['kind']

/** What differs from kind to kind: how a provider is reached. */
interface KindRow {
  label: string
  /** What tells it from others of its kind. */
  noteOf: (provider: IdentityProvider) => string
  /** The fields of its form; without a provider a new one is made. */
  Fields: (props: {
    of: FormState<ProviderTexts>
    provider?: IdentityProvider | undefined
  }) => preact.JSX.Element
  /** The part of a request that only this kind has. */
  bodyOf: (values: ProviderTexts) => UpdateIdentityProviderBody
}

export const KINDS: Record<Kind, KindRow> = {
  oidc: {
    label: 'OpenID Connect',
    noteOf: ({ oidc }) => textOf(oidc?.issuer),
    Fields: OidcFields,
    bodyOf: (values) => ({
      oidc: {
        issuer: values['oidc.issuer'].trim(),
        clientId: values['oidc.clientId'].trim(),
        ...(values['oidc.clientSecret'] === '' ? {} : { clientSecret: values['oidc.clientSecret'] }),
      },
    }),
  },
  saml: {
    label: 'SAML 2.0',
    noteOf: ({ saml }) => textOf(saml?.entityId),
    Fields: SamlFields,
    bodyOf: (values) => ({ saml: samlOf(values) }),
  },
}

function OidcFields({
  of,
  provider,
}: {
  of: FormState<ProviderTexts>
  provider?: IdentityProvider | undefined
}) {
  const isAnother = provider !== undefined && of.values['oidc.issuer'].trim() !== provider.oidc?.issuer
  return (
    <>
      <TextField
        of={of}
        name="oidc.issuer"
        label="Issuer"
        inputMode="url"
        mono
        placeholder="https://login.acme.example"
        hint={
          isAnother
            ? 'Another issuer is another provider: it takes a secret, and everybody who has signed in by the one before is forgotten.'
            : 'Exactly as the metadata of the provider have it.'
        }
      />
      <TextField of={of} name="oidc.clientId" label="Client ID" mono />
      <TextField
        of={of}
        name="oidc.clientSecret"
        label="Client secret"
        type="password"
        mono
        autocomplete="new-password"
        optional={provider !== undefined && !isAnother}
        hint={
          provider === undefined ? 'It is not shown again.' : 'Empty keeps the present one. It is not shown.'
        }
      />
    </>
  )
}
