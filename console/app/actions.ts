import { useEffect, useRef } from 'preact/hooks'
import { createStore } from './store.ts'

/** Something that can be done on the screen that is open, for the palette. */
export interface PaletteAction {
  label: string
  run: () => void
  /** Why it cannot be done. */
  reason?: string | undefined
}

export const screenActions = createStore<readonly PaletteAction[]>([])

/** Offers in the palette what the screen can do, for as long as it is there. */
export function useActions(own: readonly PaletteAction[]): void {
  const latest = useRef(own)
  latest.current = own
  const names = own.map(({ label, reason }) => `${label} ${reason ?? ''}`).join('\n')
  useEffect(() => {
    const registered: readonly PaletteAction[] = latest.current.map(({ label, reason }, at) => ({
      label,
      reason,
      run: () => latest.current[at]?.run(),
    }))
    screenActions.set([...registered, ...screenActions.get()])
    return () => screenActions.set(screenActions.get().filter((action) => !registered.includes(action)))
  }, [names])
}
