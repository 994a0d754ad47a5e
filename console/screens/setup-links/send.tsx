import { useState } from 'preact/hooks'
import type { CreateSetupLinkBody, SetupLink, SetupLinkPurpose } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, ChoicesField, Form, SelectField, TextField, useForm } from '../../parts/form.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { toast } from '../../parts/toast.tsx'
import { useOwnPermissions, useRoles } from '../roles/data.ts'
import { PURPOSES } from './data.ts'

type Language = NonNullable<CreateSetupLinkBody['language']>

const LANGUAGES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
}

const USUAL_DAYS = 7

/** Makes a setup link; it is mailed, or shown once to be handed over. */
export function SendSetupLink({
  purposes: usual,
  onClose,
}: {
  purposes: readonly SetupLinkPurpose[]
  onClose: () => void
}) {
  const [made, setMade] = useState<SetupLink | undefined>()
  if (made === undefined) return <SetupLinkForm usual={usual} onMade={setMade} onClose={onClose} />
  return (
    <SecretOnce
      title={`The link for ${textOf(made.name)}`}
      secret={textOf(made.url)}
      what="link"
      advice="Hand it to the person who sets this up."
      onClose={onClose}
    >
      <p class="quiet">
        It works in the first browser that opens it, and in no other. Until then anybody who has it can open
        it.
      </p>
    </SecretOnce>
  )
}

function SetupLinkForm({
  usual,
  onMade,
  onClose,
}: {
  usual: readonly SetupLinkPurpose[]
  onMade: (link: SetupLink) => void
  onClose: () => void
}) {
  const hasAll = useHasAllPermissions()
  const mayGive = (purpose: string) => hasAll || purpose === 'domains'
  const form = useForm(
    {
      ...{ name: '', email: '', language: '', expiresInDays: String(USUAL_DAYS) },
      purposes: usual as readonly string[],
      ...{ activates: false, createsMemberships: false },
    },
    async (values) => {
      const email = values.email.trim()
      const purposes = values.purposes.filter(mayGive)
      const link = await postern.setupLinks.create({
        name: values.name.trim(),
        purposes: purposes as SetupLinkPurpose[],
        expiresInDays: Number(values.expiresInDays),
        ...(email !== '' && { email }),
        ...(email !== '' && values.language !== '' && { language: values.language as Language }),
        ...(purposes.includes('provider') && {
          ...{ activates: values.activates, createsMemberships: values.createsMemberships },
        }),
      })
      outdate('setup-links')
      if (link.url !== undefined) return onMade(link)
      toast(`The setup link is sent to ${email}`)
      onClose()
    },
  )
  const { email, purposes } = form.values
  return (
    <Dialog title="Send a setup link" onClose={onClose}>
      <Form of={form} action={email.trim() === '' ? 'Create link' : 'Send link'} onCancel={onClose}>
        <p>
          The person who opens it needs no account, sets up what you choose, and sees no member and no other
          setting.
        </p>
        <TextField
          of={form}
          name="name"
          label="For"
          placeholder="IT of Acme"
          hint="The audit log names it."
        />
        <ChoicesField
          of={form}
          name="purposes"
          label="What it sets up"
          hint={hasAll ? undefined : 'All but domains takes all permissions, which your role does not have.'}
          options={Object.entries(PURPOSES)
            .filter(([value]) => mayGive(value))
            .map(([value, words]) => ({ value, ...words }))}
        />
        {mayGive('provider') && purposes.includes('provider') && (
          <>
            <CheckField
              of={form}
              name="activates"
              label="Enable the identity provider once a sign-in has worked"
              hint="Without it, an administrator enables it here."
            />
            <CheckField
              of={form}
              name="createsMemberships"
              label="Add people as they sign in"
              hint="With an address of a proven domain. Without it, people are invited first."
            />
          </>
        )}
        <TextField
          of={form}
          name="expiresInDays"
          label="Expires after (days)"
          type="number"
          hint="At most 30."
        />
        <TextField
          of={form}
          name="email"
          label="E-mail address"
          type="email"
          optional
          hint="Without it the link is shown once, to be handed over."
        />
        {email.trim() !== '' && (
          <SelectField
            of={form}
            name="language"
            label="Language of the mail"
            options={[['', 'that of the organization'], ...Object.entries(LANGUAGES)]}
          />
        )}
      </Form>
    </Dialog>
  )
}

/** Whether the person may do all that an administrator may. Until that is known, an attempt is the server's to refuse. */
function useHasAllPermissions(): boolean {
  const { may, isWithin } = useOwnPermissions()
  const all = useRoles().data?.find(({ id }) => String(id) === 'administrator')?.permissions
  return may('roles:read') && isWithin(all ?? [])
}
