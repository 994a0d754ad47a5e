import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { byCookie } from '../data/session.ts'

/** Asks for a second factor, for what the API does only shortly after one. */
export function StepUp({ done }: { done: (isShown: boolean) => void }) {
  const form = useForm({ code: '' }, async ({ code }) => {
    const digits = code.replaceAll(/\s/g, '')
    await byCookie.auth.stepUp(/^\d{6}$/.test(digits) ? { code: digits } : { recoveryCode: code.trim() })
    done(true)
  })
  return (
    <Dialog title="Confirm that it is you" onClose={() => done(false)}>
      <Form of={form} action="Confirm" onCancel={() => done(false)}>
        <p>This change needs your second factor. It counts for ten minutes.</p>
        <TextField
          of={form}
          name="code"
          label="Code"
          mono
          hint="The six digits of your authenticator app, or a recovery code."
        />
      </Form>
    </Dialog>
  )
}
