import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { useAccess } from '../access.ts'
import { screenActions } from '../actions.ts'
import { rights } from '../data/session.ts'
import { useStore } from '../store.ts'
import { count } from '../words.ts'
import { closeOverlay, takePressed } from './open.ts'
import { type Entry, entriesOf, findEntries, typedBy } from './palette-entries.ts'
import { useNamed } from './palette-names.ts'

const HINT = 'Name, screen, action or ID'

/** Finds a screen, an action, an id or a named thing by a few letters, and opens it. */
export function Palette() {
  const held = useStore(rights)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  /** Whether Enter was pressed before there was anything to choose. */
  const [isEntered, setEntered] = useState(false)
  const access = useAccess()
  const actions = useStore(screenActions)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const all = useMemo(() => entriesOf(access, actions), [access.organization?.id, held, actions])
  const { named, isSearching, hasFailed } = useNamed(text)
  const own = useMemo(() => findEntries(all, text), [all, text])
  // Results of the API come last, so that the entries above them do not move when they arrive.
  const found = [...own, ...named]
  const choose = (entry: Entry | undefined) => {
    setEntered(entry === undefined && isSearching)
    if (entry === undefined || entry.reason !== undefined) return
    closeOverlay()
    entry.run()
  }
  // The effect of the dialog, which takes the focus, has run before this one.
  useEffect(() => {
    const typed = typedBy(takePressed())
    const many = findEntries(all, typed.text).length
    setText(typed.text)
    setAt(many === 0 ? 0 : ((typed.down % many) + many) % many)
    setEntered(typed.isEntered)
  }, [])
  useEffect(() => {
    if (isEntered && (found.length > 0 || !isSearching)) choose(found[at])
  }, [isEntered, found.length, isSearching])
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
    <Dialog title="Search" bare onClose={closeOverlay}>
      <div class="palette">
        <label class="palette-field">
          <Glyph icon="search" />
          <span class="unseen">{HINT}</span>
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
            aria-autocomplete="list"
            placeholder={HINT}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
              setEntered(false)
            }}
            onKeyDown={press}
          />
        </label>
        <div class="palette-list" id={`${id}-list`} ref={list} role="listbox" aria-label="Found">
          {found.map((entry, index) => (
            <div
              key={entry.key}
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
        <p class={found.length === 0 || hasFailed ? 'palette-none quiet' : 'unseen'} role="status">
          {isSearching
            ? 'Searching…'
            : hasFailed
              ? 'Names could not be searched: the server did not answer.'
              : found.length === 0
                ? 'Nothing found. To open something by its ID, paste the whole ID.'
                : count(found.length, 'result')}
        </p>
      </div>
    </Dialog>
  )
}
