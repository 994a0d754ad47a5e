import type { IdentityProvider, Organization } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { CheckField, ChoicesField, Form, useForm } from '../../parts/form.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { nameOf } from '../people/invitations-data.ts'
import { useAdministrators } from './data.ts'

/** Whether members sign in by an identity provider alone, and which administrators need not. */
export function RequireSignIn({
  of: { id, signIn },
  providers,
  reason,
}: {
  of: Organization
  providers: readonly IdentityProvider[]
  reason: string | undefined
}) {
  const administrators = useAdministrators()
  const start = { required: signIn.required, 'signIn.exceptions': signIn.exceptions.map(String) }
  const form = useForm(start, async (values) => {
    const { required, 'signIn.exceptions': exceptions } = values
    await postern.organizations.rename(id, { signIn: required ? { required, exceptions } : { required } })
    outdate('organization')
    toast(required ? 'The sign-in is required' : 'The sign-in is not required')
  })
  const isActive = providers.some(({ status }) => status === 'active')
  const { required } = form.values
  return (
    <Panel
      title="Required sign-in"
      note={
        signIn.required ? 'Members sign in by an identity provider alone.' : 'Members sign in as they like.'
      }
    >
      <Form
        of={form}
        action="Save"
        reason={reason ?? (isActive || signIn.required ? undefined : 'No identity provider is active')}
        onlyChanged
      >
        <CheckField of={form} name="required" label="Members sign in by an identity provider alone" />
        {required && (
          <ChoicesField
            of={form}
            name="signIn.exceptions"
            label="Exceptions"
            hint="Administrators who may use their own sign-in with a second factor, should the provider fail. At least one needs a second factor."
            options={administrators.map((one) => ({
              ...{ value: String(one.accountId), label: nameOf(one), note: textOf(one.email) },
            }))}
          />
        )}
        {required && !signIn.required && (
          <Notice tone="wait" icon="alert" title="This ends when you save">
            <ul class="ends">
              <li>
                Sessions that began by a password, a passkey, a mailed link, Google or Microsoft, in this
                organization
              </li>
              <li>The access of applications that was granted in them</li>
            </ul>
            <p>Exceptions keep theirs once a second factor was shown. API keys are not affected.</p>
          </Notice>
        )}
      </Form>
    </Panel>
  )
}
