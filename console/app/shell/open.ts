import { createStore } from '../store.ts'

/** The open overlay of the page. Its module is loaded when it is first opened. */
export const overlay = createStore<'palette' | 'help' | 'navigation' | undefined>(undefined)

/** Keys and pasted texts since the palette was opened, until its field has the focus. */
const pressed: string[] = []

/** Opens the palette or closes it. Keys typed before its field exists are kept for it. */
export function togglePalette(): void {
  if (overlay.get() === 'palette') {
    closeOverlay()
    return
  }
  overlay.set('palette')
  document.addEventListener('keydown', keep, true)
  document.addEventListener('paste', keep, true)
}

export function closeOverlay(): void {
  overlay.set(undefined)
  takePressed()
}

/** The keys and pasted texts since the palette was opened, keys by their names. Ends the keeping. */
export function takePressed(): string[] {
  document.removeEventListener('keydown', keep, true)
  document.removeEventListener('paste', keep, true)
  return pressed.splice(0)
}

function keep(event: KeyboardEvent | ClipboardEvent): void {
  let text = ''
  if ('key' in event) {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')
    if (isCommand || !/^(.|Backspace|Enter|Escape|Arrow(Up|Down))$/u.test(event.key)) return
    text = event.key
  } else text = event.clipboardData?.getData('text') ?? ''
  event.preventDefault()
  event.stopPropagation()
  if (text === 'Escape') closeOverlay()
  else pressed.push(text)
}
