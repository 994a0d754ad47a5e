import { recall, remember } from './remember.ts'
import { createStore } from './store.ts'

export type Theme = 'light' | 'dark' | 'system'
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const kept = recall('theme')
export const theme = createStore<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system')

/** Light, dark, or as the system has it; kept for this browser, and followed by charts. */
export function chooseTheme(next: Theme): void {
  remember('theme', next)
  if (next === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
  theme.set(next)
}
