import type { SignInWithSecondFactorBody } from '#sdk/postern.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Failed } from '../../parts/notice.tsx'
import { byCookie } from '../data/session.ts'
import type { Asking } from '../data/step-up.ts'
import { useAction } from '../data/use-action.ts'
import { hasPasskeys, showPasskey } from '../passkey.ts'

type Passkey = NonNullable<SignInWithSecondFactorBody['passkey']>

/** Asks for a second factor, for what the API does only shortly after one. */
export function StepUp({ asking: { methods, done } }: { asking: Asking }) {
  const showing = useAction(async () => {
    const { options } = await byCookie.auth.startPasskeyStepUp()
    await byCookie.auth.stepUp({ passkey: await showPasskey<Passkey>(options) })
    done(true)
  })
  const form = useForm({ code: '' }, async ({ code }) => {
    const digits = code.replaceAll(/\s/g, '')
    await byCookie.auth.stepUp(/^\d{6}$/.test(digits) ? { code: digits } : { recoveryCode: code.trim() })
    done(true)
  })
  const hasPasskey = hasPasskeys && methods.includes('passkey')
  return (
    <Dialog title="Confirm that it is you" onClose={() => done(false)}>
      <div class="stack">
        <p>This change needs your second factor. It counts for ten minutes.</p>
        {hasPasskey && (
          <>
            <div>
              <Button kind="primary" icon="key" busy={showing.isBusy} onPress={() => void showing.run()}>
                Use a passkey
              </Button>
            </div>
            <Failed failure={showing.failure} />
          </>
        )}
        <Form of={form} action="Confirm" onCancel={() => done(false)}>
          <TextField
            of={form}
            name="code"
            label={methods.includes('totp') ? 'Code' : 'Recovery code'}
            mono
            autocomplete="one-time-code"
            hint={
              methods.includes('totp')
                ? 'The six digits of your authenticator app, or a recovery code.'
                : 'One of those that you saved.'
            }
          />
        </Form>
      </div>
    </Dialog>
  )
}
