import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { Glyph } from '../../parts/icons.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Toasts } from '../../parts/toast.tsx'
import { useAccess, useMay } from '../access.ts'
import { type LiveState, liveState } from '../data/live.ts'
import { type Person, signOut } from '../data/session.ts'
import { stepUp } from '../data/step-up.ts'
import { useKeys } from '../keys.ts'
import { remember } from '../remember.ts'
import { root } from '../root.ts'
import { go, to, usePlace } from '../router.ts'
import { GROUPS, type ScreenRow } from '../screen.ts'
import { ELSEWHERE, SCREENS } from '../screens.ts'
import { useStore } from '../store.ts'
import { chooseTheme, THEMES, theme } from '../theme.ts'
import { textOf } from '../words.ts'
import { Brand } from './brand.tsx'
import { closeOverlay, overlay, takePressed, togglePalette } from './open.ts'

/** The frame around every screen: navigation, head and overlays. */
export function Layout({ person, children }: { person: Person; children: ComponentChildren }) {
  const { path } = usePlace()
  useKeys([
    { keys: 'Mod+k', label: 'Search', run: togglePalette },
    { keys: '/', label: 'Search', run: togglePalette },
    { keys: '?', label: 'Show keyboard shortcuts', run: openHelp },
    ...SCREENS.flatMap(({ key, title, path }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, label: title, run: () => go(to(path)) }],
    ),
  ])
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <aside class="rail">
          <Brand />
          <Organizations person={person} />
          <Navigation path={path} />
        </aside>
        <header class="bar">
          <div class="bar-menu">
            <Button
              kind="quiet"
              icon="menu"
              label="Open the navigation"
              onPress={() => overlay.set('navigation')}
            />
          </div>
          <button type="button" class="find" onClick={togglePalette}>
            <Glyph icon="search" size={16} />
            <span>Search</span>
            <kbd>/</kbd>
          </button>
          <div class="bar-end">
            <Live />
            <Theme />
            <Me person={person} />
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Overlay person={person} path={path} />
      <Toasts />
      <div id="announcer" class="unseen" role="status" aria-live="polite" />
    </>
  )
}

const openHelp = () => overlay.set('help')

const Palette = lazy(() =>
  import('./palette.tsx').then(
    (module) => module.Palette,
    (broken) => {
      takePressed()
      throw broken
    },
  ),
)
const Help = lazy(() => import('./help.tsx').then((module) => module.Help))
const StepUp = lazy(() => import('./step-up.tsx').then((module) => module.StepUp))
const Dialog = lazy(() => import('../../parts/dialog.tsx').then((module) => module.Dialog))

/** Overlays of the page, each loaded when it is first opened. */
function Overlay({ person, path }: { person: Person; path: string }) {
  const open = useStore(overlay)
  const asking = useStore(stepUp)
  if (asking !== undefined) return <StepUp asking={asking} />
  if (open === 'palette') return <Palette />
  if (open === 'help') return <Help />
  if (open !== 'navigation') return null
  return (
    <Dialog title="Navigation" onClose={closeOverlay}>
      <Organizations person={person} />
      <div onClick={(event) => (event.target as Element).closest('a') && closeOverlay()}>
        <Navigation path={path} />
      </div>
    </Dialog>
  )
}

function Organizations({ person }: { person: Person }) {
  const { organizationId } = usePlace()
  const present = person.organizations.find(({ id }) => id === organizationId)
  return (
    <div class="organization">
      <Menu
        label="Organization"
        icon="down"
        words={textOf(present?.name ?? 'Choose an organization')}
        items={person.organizations.map(({ id, name, status }) => ({
          label: status === 'active' ? textOf(name) : `${textOf(name)} (disabled)`,
          chosen: id === organizationId,
          run: () => {
            remember('organization', id)
            go(to('/', {}, id))
          },
        }))}
      />
    </div>
  )
}

function Navigation({ path }: { path: string }) {
  const may = useMay()
  return (
    <nav class="navigation" aria-label="Console">
      {GROUPS.map((group) => {
        const rows = SCREENS.filter(
          (row) => row.group === group && (row.permission === undefined || may(row.permission)),
        )
        const links = ELSEWHERE.filter((link) => link.group === group)
        if (rows.length + links.length === 0) return null
        return (
          <div key={group} class="navigation-group">
            {group !== '' && <h2>{group}</h2>}
            <ul>
              {rows.map((row) => (
                <NavigationRow key={row.path} row={row} path={path} />
              ))}
              {links.map(({ path, title, icon }) => (
                <li key={path}>
                  <a href={root() + path}>
                    {icon && <Glyph icon={icon} />}
                    <span>{title}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

function NavigationRow({ row, path }: { row: ScreenRow; path: string }) {
  const reason = useAccess().reason(row)
  const isHere = row.path === '/' ? path === '/' : path === row.path || path.startsWith(`${row.path}/`)
  const inside = (
    <>
      {row.icon && <Glyph icon={row.icon} />}
      <span>{row.title}</span>
    </>
  )
  return (
    <li>
      {reason === undefined ? (
        <a href={to(row.path)} aria-current={isHere ? 'page' : undefined}>
          {inside}
        </a>
      ) : (
        <span role="link" tabIndex={0} aria-disabled="true" title={reason}>
          {inside}
          <Glyph icon="lock" size={14} />
          <span class="unseen">{reason}</span>
        </span>
      )}
    </li>
  )
}

const LIVE_WORDS: Record<LiveState, string> = {
  off: '',
  opening: 'connecting',
  live: 'live',
  broken: 'not live',
}

/** Whether what happens is seen as it happens. */
function Live() {
  const state = useStore(liveState)
  if (LIVE_WORDS[state] === '') return null
  return (
    <span class={`live live-${state} small`}>
      <i aria-hidden="true" />
      <span>{LIVE_WORDS[state]}</span>
    </span>
  )
}

function Theme() {
  const chosen = useStore(theme)
  return (
    <Menu
      label="Theme"
      icon={chosen === 'light' ? 'sun' : chosen === 'dark' ? 'moon' : 'system'}
      items={THEMES.map((one) => ({
        label: one === 'system' ? 'System' : one === 'light' ? 'Light' : 'Dark',
        chosen: one === chosen,
        run: () => chooseTheme(one),
      }))}
    />
  )
}

function Me({ person }: { person: Person }) {
  const name = [person.firstName, person.lastName].map(textOf).join(' ').trim() || textOf(person.email)
  return (
    <Menu
      label="Your account"
      icon="down"
      words={name}
      items={[
        SCREENS.some(({ path }) => path === '/me') && {
          label: 'Your account',
          icon: 'people',
          href: to('/me'),
        },
        { label: 'Keys', icon: 'keyboard', run: openHelp },
        ...ELSEWHERE.map(({ path, title, icon = 'type' }) => ({ label: title, icon, href: root() + path })),
        { label: 'Sign out', icon: 'out', run: () => void signOut() },
      ]}
    />
  )
}
