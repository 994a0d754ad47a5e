import { useState } from 'preact/hooks'
import type { RotateWebhookSecretAnswer, Webhook } from '#sdk/postern.ts'
import { useActions } from '../../app/actions.ts'
import { now } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Facts, Panel } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { Countdown, Time } from '../../parts/time.tsx'

/** The secret that signs what is sent: which one it is, how old, and how long the one before still counts. */
export function Secret({ webhook, reason }: { webhook: Webhook; reason: string | undefined }) {
  const [isAsking, setAsking] = useState(false)
  const [rotated, setRotated] = useState<RotateWebhookSecretAnswer | undefined>()
  const until = webhook.previousSecretExpiresAt
  const isOverlapping = (millisOf(until) ?? 0) > now()
  useActions([{ label: 'Rotate the secret', run: () => setAsking(true), reason }])
  return (
    <Panel
      title="Signing secret"
      actions={
        <Button small icon="retry" reason={reason} onPress={() => setAsking(true)}>
          Rotate
        </Button>
      }
    >
      {isOverlapping && (
        <Notice tone="wait" icon="clock" title="Two secrets sign at present">
          The old one ends in <Countdown until={until} />. Until then each call carries both signatures.
        </Notice>
      )}
      <Facts
        rows={[
          ['Ends with', <code key="hint">…{textOf(webhook.secretHint)}</code>],
          ['Since', <Time key="since" at={webhook.secretRotatedAt} />],
        ]}
      />
      {isAsking && (
        <Confirm
          title="Rotate the signing secret?"
          action="Rotate"
          work={async () => {
            setRotated(await postern.webhooks.rotateSecret(webhook.id))
            outdate('webhooks')
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            You get another secret, which is shown once. For 24 hours each call is signed with both, so that
            your receiver can change over without losing one.
          </p>
        </Confirm>
      )}
      {rotated && !isAsking && (
        <SecretOnce
          title="The new secret"
          secret={rotated.secret}
          what="signing secret"
          onClose={() => setRotated(undefined)}
        >
          <p>
            The old one counts for another <Countdown until={rotated.previousSecretExpiresAt} />.
          </p>
        </SecretOnce>
      )}
    </Panel>
  )
}
