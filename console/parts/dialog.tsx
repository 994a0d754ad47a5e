import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import '../app/refusals.ts'
import { useAction } from '../app/data/use-action.ts'
import { Button } from './button.tsx'
import { Failed } from './notice.tsx'

/**
 * The browser's own dialog: the page behind it is inert, Escape closes it, and the focus returns. It is open as long as it is
 * mounted.
 */
export function Dialog({
  title,
  onClose,
  wide = false,
  bare = false,
  children,
}: {
  title: string
  onClose: () => void
  wide?: boolean
  /** Whether the title is hidden, as for the palette. */
  bare?: boolean
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => {
      dialog.current?.close()
      before?.focus?.()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog${wide ? ' dialog-wide' : ''}${bare ? ' dialog-bare' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="dialog-inside">
        <header class={bare ? 'unseen' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {!bare && <Button kind="quiet" small icon="cross" label="Close" onPress={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  )
}

/**
 * Asks before an action that cannot be undone, or changes many things. With `name`, the person has to type it, so that one press cannot
 * delete something for good.
 */
export function Confirm({
  title,
  action,
  name,
  danger = false,
  work,
  onClose,
  children,
}: {
  title: string
  /** Label of the button: a verb. */
  action: string
  name?: string
  danger?: boolean
  /** The action. The dialog closes after it, or shows its failure. */
  work: () => Promise<unknown>
  onClose: () => void
  children?: ComponentChildren
}) {
  const [typed, setTyped] = useState('')
  const doing = useAction(async () => {
    await work()
    return true
  })
  const id = useId()
  const isNamed = name === undefined || typed.trim() === name
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault()
          if (!isNamed) return
          if ((await doing.run()) === true) onClose()
        }}
      >
        {children}
        {name !== undefined && (
          <div class="field">
            <label for={id}>
              Type <code>{name}</code> to confirm
            </label>
            <input
              id={id}
              value={typed}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </div>
        )}
        <Failed failure={doing.failure} />
        <div class="row dialog-foot">
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            type="submit"
            busy={doing.isBusy}
            reason={isNamed ? undefined : 'Type the name first'}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
