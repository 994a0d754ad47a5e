import { useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Glyph, type Icon } from './icons.tsx'

export interface MenuItem {
  label: string
  icon?: Icon
  /** Leads somewhere, or */
  href?: string
  /** does something. */
  run?: () => void
  danger?: boolean
  /** Why it cannot be chosen. */
  reason?: string | undefined
  /** Whether it is what holds at present. */
  chosen?: boolean
}

/** A button with a list of what else one can do. The browser's own popover closes it; arrows move in it. */
export function Menu({
  label,
  items,
  icon = 'more',
  words,
  small = false,
}: {
  label: string
  items: readonly (MenuItem | false | undefined)[]
  icon?: Icon
  /** Label of the button; without it the button shows an icon. */
  words?: string
  small?: boolean
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLSpanElement>(null)
  const close = () => list.current?.hidePopover()
  const move = (event: KeyboardEvent) => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Tab') close()
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  const shown = () => {
    const [anchor, own] = [button.current?.getBoundingClientRect(), list.current]
    if (anchor === undefined || own === null) return
    const { offsetWidth, offsetHeight } = own
    const below = anchor.bottom + 4
    const top = below + offsetHeight > innerHeight ? Math.max(8, anchor.top - offsetHeight - 4) : below
    own.style.insetBlockStart = `${top}px`
    own.style.insetInlineStart = `${Math.max(8, Math.min(anchor.right - offsetWidth, innerWidth - offsetWidth - 8))}px`
    own.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
  }
  return (
    <span class="menu" ref={button}>
      <Button
        kind={words === undefined ? 'quiet' : 'plain'}
        small={small}
        icon={icon}
        opens={id}
        {...(words === undefined ? { label } : {})}
      >
        {words}
      </Button>
      <div
        id={id}
        ref={list}
        class="menu-list"
        popover="auto"
        role="menu"
        aria-label={label}
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState === 'open') shown()
          else if (list.current?.contains(document.activeElement))
            button.current?.querySelector('button')?.focus()
        }}
      >
        {items.map((item) => item && <Item key={item.label} item={item} close={close} />)}
      </div>
    </span>
  )
}

function Item({
  item: { label, icon, href, run, danger, reason, chosen },
  close,
}: {
  item: MenuItem
  close: () => void
}) {
  const inside = (
    <>
      {icon && <Glyph icon={icon} size={16} />}
      <span>
        {label}
        {reason && <span class="small quiet menu-reason">{reason}</span>}
      </span>
      {chosen && <Glyph icon="check" size={16} />}
    </>
  )
  const looks = `menu-item${danger ? ' menu-danger' : ''}`
  if (href !== undefined && reason === undefined) {
    return (
      <a class={looks} role="menuitem" tabIndex={-1} href={href} onClick={close}>
        {inside}
      </a>
    )
  }
  return (
    <button
      type="button"
      class={looks}
      role={chosen === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={chosen}
      aria-disabled={reason !== undefined || undefined}
      tabIndex={-1}
      onClick={() => {
        if (reason !== undefined) return
        close()
        run?.()
      }}
    >
      {inside}
    </button>
  )
}
