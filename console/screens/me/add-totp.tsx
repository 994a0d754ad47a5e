import { useEffect, useState } from 'preact/hooks'
import type { StartTotpAnswer } from '#sdk/postern.ts'
import { byCookie } from '../../app/data/session.ts'
import { useAction } from '../../app/data/use-action.ts'
import { textOf } from '../../app/words.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'
import { Waiting } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { Refused } from './refused.tsx'

/** Shows the secret of a new authenticator app as a picture, and takes the first code. */
export function AddTotp({
  onAdded,
  onClose,
}: {
  onAdded: (recoveryCodes: readonly string[] | null) => void
  onClose: () => void
}) {
  const [begun, setBegun] = useState<StartTotpAnswer | undefined>()
  const beginning = useAction(async () => setBegun(await byCookie.factors.startTotp({})))
  useEffect(() => void beginning.run(), [])
  const form = useForm({ code: '', name: '' }, async ({ code, name }) => {
    const id = String(begun?.id)
    const { factor, recoveryCodes } = await byCookie.factors.verifyTotp(id, {
      code: code.replaceAll(/\s/g, ''),
    })
    const called = name.trim()
    // The factor counts already; a name that is refused is no reason to lose its recovery codes.
    if (called !== '' && called !== factor.name)
      await byCookie.factors.rename(id, { name: called }).catch(() => {})
    toast('Authenticator app added')
    onAdded(recoveryCodes)
  })
  return (
    <Dialog title="Add an authenticator app" onClose={onClose}>
      {begun === undefined ? (
        beginning.failure === undefined ? (
          <Waiting lines={6} />
        ) : (
          <Refused failure={beginning.failure} />
        )
      ) : (
        <Form of={form} action="Add" onCancel={onClose}>
          <p>Scan this with your app, or type the secret into it.</p>
          <svg
            class="me-qr"
            role="img"
            aria-label="QR code of the secret below"
            viewBox={`0 0 ${begun.qrCode.size} ${begun.qrCode.size}`}
          >
            <path d={textOf(begun.qrCode.path)} />
          </svg>
          <div class="secret">
            <code>{textOf(begun.secret).replaceAll(/.{4}(?=.)/g, '$& ')}</code>
            <Copy text={textOf(begun.secret)} what="secret">
              Copy
            </Copy>
          </div>
          <TextField
            of={form}
            name="code"
            label="Code"
            mono
            inputMode="numeric"
            autocomplete="one-time-code"
            hint="The six digits that the app shows."
          />
          <TextField of={form} name="name" label="Name" optional placeholder={textOf(begun.name)} />
        </Form>
      )}
    </Dialog>
  )
}
