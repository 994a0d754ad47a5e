import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** A secret that is shown this once: it stands in no address, no log and nowhere else of the page. */
export function SecretOnce({
  title,
  secret,
  what,
  advice = 'Save it where your receiver reads it, then close this.',
  children,
  onClose,
}: {
  title: string
  secret: string
  /** The name of the secret: "signing secret". */
  what: string
  /** What to do with it. */
  advice?: string
  children?: ComponentChildren
  onClose: () => void
}) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog title={title} onClose={() => isKept && onClose()}>
      <div class="stack">
        <p>
          This {what} is shown only once. {advice}
        </p>
        <div class="secret">
          <code>{secret}</code>
          <Copy text={secret} what={what}>
            Copy
          </Copy>
        </div>
        {children}
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          <span>I have saved it</span>
        </label>
        <div class="row dialog-foot">
          <Button
            kind="primary"
            reason={isKept ? undefined : 'Confirm first that you have saved it'}
            onPress={onClose}
          >
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
