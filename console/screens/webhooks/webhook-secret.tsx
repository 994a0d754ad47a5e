import { useState } from 'preact/hooks'
import type { Webhook } from '#sdk/postern.ts'
import { useActions } from '../../app/actions.ts'
import { now } from '../../app/clock.ts'
import { millisOf, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Facts, Panel } from '../../parts/page.tsx'
import { Countdown, Time } from '../../parts/time.tsx'

const RotateSecret = lazy(() => import('./rotate.tsx').then((module) => module.RotateSecret))

/** The signing secret: its last letters, its age, and the time for which the old one remains valid. */
export function Secret({ webhook, reason }: { webhook: Webhook; reason: string | undefined }) {
  const [isAsking, setAsking] = useState(false)
  const until = webhook.previousSecretExpiresAt
  const isOverlapping = (millisOf(until) ?? 0) > now()
  useActions([{ label: 'Rotate secret', run: () => setAsking(true), reason }])
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
        <Notice tone="wait" icon="clock" title="Both secrets are in use">
          The old secret ends in <Countdown until={until} />. Until then each call carries both signatures.
        </Notice>
      )}
      <Facts
        rows={[
          ['Ends with', <code key="hint">…{textOf(webhook.secretHint)}</code>],
          ['Since', <Time key="since" at={webhook.secretRotatedAt} />],
        ]}
      />
      {isAsking && <RotateSecret webhook={webhook} onClose={() => setAsking(false)} />}
    </Panel>
  )
}
