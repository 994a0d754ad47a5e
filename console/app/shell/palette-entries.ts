import type { Icon } from '../../parts/icons.tsx'
import type { Access } from '../access.ts'
import type { PaletteAction } from '../actions.ts'
import { signOut } from '../data/session.ts'
import { pathOfId } from '../ids.ts'
import { root } from '../root.ts'
import { go, to } from '../router.ts'
import { ELSEWHERE, SCREENS } from '../screens.ts'
import { chooseTheme, THEMES } from '../theme.ts'
import { SCREEN_WORDS } from './screen-words.ts'

/** What the palette offers. */
export interface Entry {
  /** Tells it from every other entry. */
  key: string
  label: string
  note?: string | undefined
  icon: Icon
  /** What else people call it, in small letters. */
  words: string
  run: () => void
  /** Why it cannot be chosen. */
  reason?: string | undefined
}

/** The entries that need no request: actions of the open screen, screens, themes, and signing out. */
export function entriesOf(access: Access, actions: readonly PaletteAction[]): Entry[] {
  const screens = SCREENS.filter(
    ({ path, permission }) => !path.includes(':') && (permission === undefined || access.may(permission)),
  ).map((screen) => ({
    key: screen.path,
    label: screen.title,
    note: screen.key === undefined ? undefined : `g ${screen.key}`,
    icon: screen.icon ?? ('right' as const),
    words: SCREEN_WORDS[screen.path] ?? '',
    run: () => go(to(screen.path)),
    reason: access.reason(screen),
  }))
  return [
    ...actions.map((action, at) => ({
      ...{ ...action, key: `action ${at}` },
      ...{ icon: 'right' as const, words: '', note: 'here' },
    })),
    ...screens,
    ...ELSEWHERE.map(({ path, title, icon = 'right' }) => ({
      ...{ key: path, label: title, icon },
      words: SCREEN_WORDS[path] ?? '',
      run: () => location.assign(root() + path),
    })),
    ...THEMES.map((theme) => ({
      ...{ key: `theme ${theme}`, label: `Theme: ${theme}` },
      icon: theme === 'dark' ? ('moon' as const) : theme === 'light' ? ('sun' as const) : ('system' as const),
      words: 'dark light colours',
      run: () => chooseTheme(theme),
    })),
    { key: 'sign out', label: 'Sign out', icon: 'out', words: 'leave log out', run: () => void signOut() },
  ]
}

/** Entries whose name begins with the text come first, then those that contain it; an id leads to the thing that it names. */
export function findEntries(all: readonly Entry[], text: string): Entry[] {
  const words = text.trim().toLowerCase()
  const named = pathOfId(text)
  const direct: Entry[] =
    named === undefined
      ? []
      : [
          {
            ...{ key: named.id, label: `Go to ${named.id}`, words: '' },
            ...{ icon: 'right', run: () => go(to(named.path)) },
          },
        ]
  const rankOf = ({ label, words: more }: Entry) => {
    const name = label.toLowerCase()
    if (name.startsWith(words)) return 0
    if (name.includes(words)) return 1
    return more.includes(words) ? 2 : 3
  }
  const ranked = all.map((entry) => ({ entry, rank: rankOf(entry) })).filter(({ rank }) => rank < 3)
  return [...direct, ...ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry)].slice(0, 40)
}

/**
 * What keys do to an empty field: for those pressed before the field was there.
 * @returns the text, how far down the list the arrows lead, and whether Enter ended it
 */
export function typedBy(keys: readonly string[]): { text: string; down: number; isEntered: boolean } {
  let [text, down] = ['', 0]
  for (const key of keys) {
    if (key === 'Enter') return { text, down, isEntered: true }
    if (key === 'ArrowDown') down += 1
    else if (key === 'ArrowUp') down -= 1
    else {
      text = key === 'Backspace' ? [...text].slice(0, -1).join('') : text + key.replace(/[\r\n]+/g, ' ')
      down = 0
    }
  }
  return { text, down, isEntered: false }
}
