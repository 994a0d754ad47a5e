import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Glyph, type Icon } from '../../parts/icons.tsx'
import { type Access, useAccess } from '../access.ts'
import { screenActions } from '../actions.ts'
import { signOut } from '../data/session.ts'
import { pathOfId } from '../ids.ts'
import { root } from '../root.ts'
import { go, to } from '../router.ts'
import { ELSEWHERE, SCREENS } from '../screens.ts'
import { useStore } from '../store.ts'
import { chooseTheme, THEMES } from '../theme.ts'
import { closeOverlay } from './open.ts'
import { SCREEN_WORDS } from './screen-words.ts'

interface Entry {
  label: string
  note?: string | undefined
  icon: Icon
  words: string
  run: () => void
  reason?: string | undefined
}

/** Goes to any screen, id or action by a few letters. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const access = useAccess()
  const actions = useStore(screenActions)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const all = useMemo(() => entriesOf(access, actions), [access.organization?.id, access.role, actions])
  const found = useMemo(() => find(all, text), [all, text])
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined || entry.reason !== undefined) return
    closeOverlay()
    entry.run()
  }
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) setAt((at + by + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter') choose(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Find or go to" bare onClose={closeOverlay}>
      <div class="palette">
        <label class="palette-field">
          <Glyph icon="search" />
          <span class="unseen">A screen, an action, or an id</span>
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
            aria-autocomplete="list"
            placeholder="A screen, an action, or an id"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={press}
          />
        </label>
        <div class="palette-list" id={`${id}-list`} ref={list} role="listbox" aria-label="Found">
          {found.map((entry, index) => (
            <div
              key={entry.label}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              aria-disabled={entry.reason !== undefined || undefined}
              onClick={() => choose(entry)}
              onMouseMove={() => setAt(index)}
            >
              <Glyph icon={entry.icon} />
              <span>{entry.label}</span>
              <span class="small quiet">{entry.reason ?? entry.note}</span>
            </div>
          ))}
        </div>
        {found.length === 0 && (
          <p class="palette-none quiet" role="status">
            Nothing is called so. An id leads to its screen: paste it whole.
          </p>
        )}
      </div>
    </Dialog>
  )
}

function entriesOf(
  access: Access,
  actions: readonly { label: string; run: () => void; reason?: string | undefined }[],
): Entry[] {
  const screens = SCREENS.filter(({ path }) => !path.includes(':')).map((screen) => ({
    label: screen.title,
    note: screen.key === undefined ? undefined : `g ${screen.key}`,
    icon: screen.icon ?? ('right' as const),
    words: SCREEN_WORDS[screen.path] ?? '',
    run: () => go(to(screen.path)),
    reason: access.reason(screen),
  }))
  return [
    ...actions.map((action) => ({ ...action, icon: 'right' as const, words: '', note: 'here' })),
    ...screens,
    ...ELSEWHERE.map(({ path, title, icon = 'right' }) => ({
      label: title,
      icon,
      words: SCREEN_WORDS[path] ?? '',
      run: () => location.assign(root() + path),
    })),
    ...THEMES.map((theme) => ({
      label: `Theme: ${theme}`,
      icon: theme === 'dark' ? ('moon' as const) : theme === 'light' ? ('sun' as const) : ('system' as const),
      words: 'dark light colours',
      run: () => chooseTheme(theme),
    })),
    { label: 'Sign out', icon: 'out', words: 'leave log out', run: () => void signOut() },
  ]
}

/** What begins with the words comes first, then what has them anywhere; an id leads to what it is of. */
function find(all: Entry[], text: string): Entry[] {
  const words = text.trim().toLowerCase()
  const named = pathOfId(text)
  const direct: Entry[] =
    named === undefined
      ? []
      : [{ label: `Go to ${named.id}`, icon: 'right', words: '', run: () => go(to(named.path)) }]
  const rankOf = ({ label, words: more }: Entry) => {
    const name = label.toLowerCase()
    if (name.startsWith(words)) return 0
    if (name.includes(words)) return 1
    return more.includes(words) ? 2 : 3
  }
  const ranked = all.map((entry) => ({ entry, rank: rankOf(entry) })).filter(({ rank }) => rank < 3)
  return [...direct, ...ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry)].slice(0, 40)
}
