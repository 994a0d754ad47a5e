import { useRef, useState } from 'preact/hooks'
import type { RotateWebhookSecretAnswer, Webhook } from '#sdk/postern.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { shortUrl } from '../../app/words.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { Countdown } from '../../parts/time.tsx'

/** Rotates the secret of a webhook, after saying what that means, and shows the new one once. */
export function RotateSecret({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [rotated, setRotated] = useState<RotateWebhookSecretAnswer | undefined>()
  // The question closes after the rotation; the new secret is shown in its place.
  const isDone = useRef(false)
  if (rotated !== undefined)
    return (
      <SecretOnce title="New secret" secret={rotated.secret} what="signing secret" onClose={onClose}>
        <p>
          The old secret works for another <Countdown until={rotated.previousSecretExpiresAt} />.
        </p>
      </SecretOnce>
    )
  return (
    <Confirm
      title="Rotate the signing secret?"
      action="Rotate"
      work={async () => {
        const answer = await postern.webhooks.rotateSecret(id)
        isDone.current = true
        setRotated(answer)
        outdate('webhooks')
      }}
      onClose={() => isDone.current || onClose()}
    >
      <p>
        {shortUrl(url)} gets a new secret, which is shown once. For 24 hours each call is signed with both
        secrets, so that your receiver can switch without losing a call.
      </p>
    </Confirm>
  )
}
