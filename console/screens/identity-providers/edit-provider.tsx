import type { CreateIdentityProviderBody, IdentityProvider } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { useRoleOptions } from '../roles/data.ts'
import { KINDS, type Kind } from './kinds.tsx'
import { RuleFields } from './rule-fields.tsx'
import { peopleOf, textsOf } from './values.ts'

/** A new identity provider, or a change of one. */
export function EditProvider({
  provider,
  onSaved,
  onClose,
}: {
  provider?: IdentityProvider | undefined
  onSaved: (provider: IdentityProvider) => void
  onClose: () => void
}) {
  const roles = useRoleOptions()
  const form = useForm(textsOf(provider), async (values) => {
    const body = { name: values.name.trim(), ...KINDS[values.kind].bodyOf(values), ...peopleOf(values) }
    const saved =
      provider === undefined
        ? // The answer names a member that a new one needs and the form does not have.
          await postern.identityProviders.create({ kind: values.kind, ...body } as CreateIdentityProviderBody)
        : await postern.identityProviders.update(String(provider.id), body)
    outdate('identity-providers')
    toast(provider === undefined ? 'The identity provider is added' : 'The identity provider is saved')
    onSaved(saved)
  })
  const { Fields } = KINDS[form.values.kind]
  const kinds = Object.entries(KINDS) as [Kind, (typeof KINDS)[Kind]][]
  return (
    <Dialog
      title={provider === undefined ? 'Add an identity provider' : `Edit ${textOf(provider.name)}`}
      onClose={onClose}
    >
      <Form
        of={form}
        action={provider === undefined ? 'Add provider' : 'Save'}
        onCancel={onClose}
        onlyChanged={provider !== undefined}
      >
        {provider === undefined && kinds.length > 1 && (
          <SelectField
            of={form}
            name="kind"
            label="Kind"
            options={kinds.map(([kind, { label }]) => [kind, label] as const)}
          />
        )}
        <TextField of={form} name="name" label="Name" placeholder="Acme Entra ID" />
        <Fields of={form} provider={provider} />
        <CheckField
          of={form}
          name="createsMemberships"
          label="Add people as they sign in"
          hint="With an address of a proven domain. Without it, people are invited first."
        />
        <SelectField of={form} name="defaultRole" label="Role of new members" options={roles} />
        <RuleFields of={form} roles={roles} />
        {form.values.roleRules.length > 0 && (
          <CheckField
            of={form}
            name="managesRoles"
            label="Apply these rules at every sign-in"
            hint="Not only at the first. The last administrator keeps that role."
          />
        )}
        <TextField
          of={form}
          name="secondFactorValues"
          label="Sign-ins that count as a second factor"
          optional
          mono
          placeholder="mfa"
          hint="Values of amr, acr or the authentication context, with commas between. Without them the person’s own second factor is asked for."
        />
        <CheckField
          of={form}
          name="endsProviderSession"
          label="Sign out at the provider, too"
          hint="Signing out here then ends the session there, with everything else that the person is signed in to by it."
        />
      </Form>
    </Dialog>
  )
}
