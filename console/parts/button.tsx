import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Glyph, type Icon } from './icons.tsx'

interface Looks {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: Icon
  small?: boolean
  children?: ComponentChildren
  /** What a button that is only a sign does. */
  label?: string
}

export interface ButtonProps extends Looks {
  onPress?: ((event: MouseEvent) => void) | undefined
  type?: 'button' | 'submit'
  busy?: boolean
  /** Why it cannot be pressed. The button stays visible and focusable, and says the reason. */
  reason?: string | undefined
  /** The id of a popover that it opens. */
  opens?: string
  pressed?: boolean
  expanded?: boolean
}

function classOf({ kind = 'plain', small, children }: Looks): string {
  return `button button-${kind}${small ? ' button-small' : ''}${children === undefined ? ' button-sign' : ''}`
}

function Inside({ icon, children, small, label }: Looks) {
  return (
    <>
      {icon && <Glyph icon={icon} size={small ? 16 : 18} />}
      {children !== undefined && <span>{children}</span>}
      {label !== undefined && <span class="unseen">{label}</span>}
    </>
  )
}

/** A button. While `busy` it keeps its size. With a `reason` it does nothing and says why. */
export function Button({
  onPress,
  type = 'button',
  busy = false,
  reason,
  opens,
  pressed,
  expanded,
  ...looks
}: ButtonProps) {
  const id = useId()
  const button = (
    <button
      type={type}
      class={classOf(looks)}
      aria-disabled={reason !== undefined || undefined}
      aria-describedby={reason === undefined ? undefined : id}
      aria-busy={busy || undefined}
      aria-pressed={pressed}
      aria-expanded={expanded}
      popovertarget={opens}
      title={looks.children === undefined ? looks.label : undefined}
      onClick={(event) => {
        if (reason !== undefined || busy) event.preventDefault()
        else onPress?.(event)
      }}
    >
      <Inside {...looks} />
    </button>
  )
  if (reason === undefined) return button
  return (
    <span class="reasoned">
      {button}
      <span class="reason" id={id} role="tooltip">
        {reason}
      </span>
    </span>
  )
}

/** A link that looks like a button: it leads somewhere, and can be opened in another tab. */
export function LinkButton({
  href,
  reason,
  ...looks
}: Looks & { href: string; reason?: string | undefined }) {
  if (reason !== undefined) return <Button {...looks} reason={reason} />
  return (
    <a class={classOf(looks)} href={href}>
      <Inside {...looks} />
    </a>
  )
}
