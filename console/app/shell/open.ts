import { createStore } from '../store.ts'

/** What lies over the page at present; each is loaded when it is first opened. */
export const overlay = createStore<'palette' | 'help' | 'navigation' | undefined>(undefined)

export function closeOverlay(): void {
  overlay.set(undefined)
}
