import { useEffect, useRef } from 'preact/hooks'
import { later, SECOND } from './clock.ts'
import { recall, remember } from './remember.ts'
import { createStore } from './store.ts'

/** A key, or two one after the other, and what it does. */
export interface KeyRow {
  /** `j`, `g w`, `?`, `Mod+k` (Ctrl, or Command on a Mac), `Enter`. */
  keys: string
  label: string
  run: (event: KeyboardEvent) => void
}

const rows = createStore<readonly KeyRow[]>([])
/** Whether keys without a modifier do something (WCAG 2.1.4): people who dictate, or press by accident, switch them off. */
export const singleKeys = createStore(recall('keys') !== 'off')

export function switchSingleKeys(on: boolean): void {
  remember('keys', on ? 'on' : 'off')
  singleKeys.set(on)
}

export const keyRows = rows

/** Registers keys for as long as the component is there; the one that came last has them. */
export function useKeys(own: readonly KeyRow[], isOn = true): void {
  const latest = useRef(own)
  latest.current = own
  const names = own.map(({ keys, label }) => `${keys} ${label}`).join('\n')
  useEffect(() => {
    if (!isOn) return
    const registered = latest.current.map(({ keys, label }, at) => ({
      keys,
      label,
      run: (event: KeyboardEvent) => latest.current[at]?.run(event),
    }))
    rows.set([...registered, ...rows.get()])
    return () => rows.set(rows.get().filter((row) => !registered.includes(row)))
  }, [names, isOn])
}

/** Two keys belong together when no more than this is between them. */
const TOGETHER = 1.2 * SECOND

/** Where keys are for typing. */
function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null
  return (
    element?.closest?.(
      'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable]',
    ) != null
  )
}

/** Whether the focused element itself uses Enter and Space. */
function isPressable(target: EventTarget | null): boolean {
  return (target as HTMLElement | null)?.closest?.('a, button, summary, [role="menuitem"]') != null
}

/** Listens once for the whole page. */
export function startKeys(): void {
  let begun = ''
  let callOff = () => {}
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return
    const isModified = event.ctrlKey || event.metaKey
    const name = isModified ? `Mod+${event.key.toLowerCase()}` : event.key
    const isOpen = document.querySelector('dialog[open], [popover]:popover-open') !== null
    if (!isModified && (!singleKeys.get() || isTyping(event.target) || isOpen)) return
    if ((name === 'Enter' || name === ' ') && isPressable(event.target)) return
    const all = rows.get()
    const row =
      all.find(({ keys }) => keys === (begun === '' ? name : `${begun} ${name}`)) ??
      all.find(({ keys }) => keys === name)
    callOff()
    if (row !== undefined) {
      begun = ''
      event.preventDefault()
      row.run(event)
      return
    }
    begun = !isModified && all.some(({ keys }) => keys.startsWith(`${name} `)) ? name : ''
    callOff = later(TOGETHER, () => {
      begun = ''
    })
  })
}

/** Keys as people read them: `g w` → `g` then `w`. */
export function keyWords(keys: string): string[] {
  const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')
  return keys.split(' ').map((key) => key.replace('Mod+', isMac ? '⌘ ' : 'Ctrl ').replace('Enter', '⏎'))
}
