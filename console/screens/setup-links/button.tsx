import { useState } from 'preact/hooks'
import type { SetupLinkPurpose } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { useActions } from '../../app/actions.ts'
import { Button } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'

const SendSetupLink = lazy(() => import('./send.tsx').then((module) => module.SendSetupLink))

/** Opens the form for a setup link, with the purposes of the screen that it is on. */
export function SetupLinkButton({ purposes }: { purposes: readonly SetupLinkPurpose[] }) {
  const reason = useAccess().reason({ permission: 'sign_in:write' })
  const [isAsked, ask] = useState(false)
  useActions([{ label: 'Send a setup link', run: () => ask(true), reason }])
  return (
    <>
      <Button icon="send" reason={reason} onPress={() => ask(true)}>
        Send a setup link
      </Button>
      {isAsked && <SendSetupLink purposes={purposes} onClose={() => ask(false)} />}
    </>
  )
}
