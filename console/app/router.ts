import { useEffect, useRef } from 'preact/hooks'
import { root } from './root.ts'
import { createStore, useStore } from './store.ts'

/** A place in the console: `/console/{organizationId}{path}?query`. */
export interface Place {
  organizationId: string | undefined
  /** Below the organization, as the table of screens (`screens.ts`) has it: `/webhooks/whk_…`. */
  path: string
  query: URLSearchParams
}

const ORGANIZATION = /^\/(org_[\w-]+)(?=\/|$)/

function read(): Place {
  if (globalThis.location === undefined) return placeOf('/', '')
  return placeOf(location.pathname.slice(`${root()}/console`.length), location.search)
}

/** What an address means, given what follows `/console` in it. */
function placeOf(below: string, search: string): Place {
  const organizationId = ORGANIZATION.exec(below)?.[1]
  const path =
    below.slice(organizationId === undefined ? 0 : organizationId.length + 1).replace(/\/$/, '') || '/'
  return { organizationId, path, query: new URLSearchParams(search) }
}

export const place = createStore<Place>(read())
/** Counts navigations to another path: after each one the heading of the new screen takes the focus. */
export const arrivals = createStore(0)

/** The organization of the address. */
export function organizationId(): string | undefined {
  return place.get().organizationId
}

/** The address of a screen of the organization that is open, or of another one. */
export function to(
  path: string,
  query: Record<string, string | readonly string[] | undefined> = {},
  organization = organizationId(),
): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) if (one !== '') parameters.append(name, one)
  }
  const search = parameters.size === 0 ? '' : `?${parameters}`
  return `${root()}/console${organization === undefined ? '' : `/${organization}`}${path === '/' ? '' : path}${search}`
}

/** Goes to an address of the console; the browser's Back leads back, unless it takes the place of the present one. */
export function go(address: string, { replace = false } = {}): void {
  const before = place.get()
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  arrive(before)
}

/** Tells whether the component is still mounted, for an answer that arrives after the person has left the screen. */
export function useIsHere(): () => boolean {
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return () => isHere.current
}

/** `go`, for use after an answer: it does nothing once the person has left the screen. */
export function useGo(): typeof go {
  const isHere = useIsHere()
  return (address, how) => {
    if (isHere()) go(address, how)
  }
}

function arrive(before: Place): void {
  const next = read()
  place.set(next)
  if (next.path === before.path && next.organizationId === before.organizationId) return
  scrollTo(0, 0)
  arrivals.set(arrivals.get() + 1)
}

/** Follows links and the browser's own Back and Forward; once. */
export function startRouter(): void {
  addEventListener('popstate', () => arrive(place.get()))
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a')
    if (link === null || link === undefined || event.defaultPrevented || event.button !== 0) return
    if (
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey ||
      link.target !== '' ||
      link.download !== ''
    )
      return
    // Within the page: the browser's own way.
    if (link.hash !== '' && link.pathname === location.pathname) return
    const base = `${root()}/console`
    if (link.origin !== location.origin || !(link.pathname === base || link.pathname.startsWith(`${base}/`)))
      return
    event.preventDefault()
    go(link.href)
  })
}

export function usePlace(): Place {
  return useStore(place)
}

/**
 * The filters of a screen. They are part of its address, so that it can be shared, and Back restores them.
 * @returns the values by name, and a function that changes some of them
 */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (changed: Partial<Record<Name, string>>) => void] {
  const { query, path } = usePlace()
  const values = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<
    Name,
    string
  >
  const change = (changed: Partial<Record<Name, string>>) => {
    const next = { ...Object.fromEntries(place.get().query), ...changed } as Record<string, string>
    go(to(path, next), { replace: true })
  }
  return [values, change]
}
