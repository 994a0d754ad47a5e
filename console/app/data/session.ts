import { MINUTE, type Millis, now, toMillis } from '../clock.ts'
import { root } from '../root.ts'
import { createStore } from '../store.ts'
import { Failure, toFailure } from './failure.ts'
import { send } from './http.ts'

export type Role = 'administrator' | 'member'

export interface Organization {
  id: string
  name: string
  role: Role
}

export interface Person {
  id: string
  email: string
  firstName: string | null
  lastName: string | null
  organizations: Organization[]
}

/** How it stands with who sits here. */
export type Session =
  | { state: 'opening' }
  | { state: 'in'; person: Person }
  /** It has ended; where `wasIn`, while somebody worked. */
  | { state: 'out'; wasIn: boolean }
  | { state: 'unknown'; failure: Failure }

export const session = createStore<Session>({ state: 'opening' })

/** Between the tabs of this browser. */
interface Notice {
  kind: 'signed-out' | 'changed'
}

const tabs = globalThis.document === undefined ? undefined : new BroadcastChannel('postern.session')
tabs?.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
  if (data.kind === 'signed-out') end()
  else void openSession()
})

/** Asks who sits here; by the cookie, which no script can read. */
export async function openSession(): Promise<void> {
  try {
    const answer = await send('GET', '/v1/auth/session')
    const { user } = (await answer.json()) as { user: Person }
    session.set({ state: 'in', person: user })
  } catch (thrown) {
    const failure = toFailure(thrown)
    if (failure.status === 401) return end()
    session.set({ state: 'unknown', failure })
  }
}

/** Ends the session here and in every other tab. */
export async function signOut(): Promise<void> {
  await send('POST', '/v1/auth/sign-out', { body: {} })
  tabs?.postMessage({ kind: 'signed-out' } satisfies Notice)
  end()
}

/** Tells the other tabs that the person or an organization has another name. */
export async function personChanged(): Promise<void> {
  tabs?.postMessage({ kind: 'changed' } satisfies Notice)
  await openSession()
}

/** The session is over: what was known because of it is forgotten. */
export function end(): void {
  tokens.clear()
  session.set({ state: 'out', wasIn: session.get().state === 'in' })
}

/** The hosted page at which people sign in, and from which they come back to where they are. */
export function signInPath(): string {
  return `${root()}/sign-in?${new URLSearchParams({ back: location.pathname + location.search })}`
}

/** A token of one organization, in memory alone. */
interface Kept {
  token: string
  renewAt: Millis
}

const tokens = new Map<string, Promise<Kept>>()
/** A token is renewed so long before its end that no call is under way with one that has ended. */
const AHEAD = 5 * MINUTE

/**
 * The bearer token for calls of that organization, renewed before its end.
 * @throws Failure
 */
export async function tokenFor(organizationId: string): Promise<string> {
  const known = tokens.get(organizationId)
  const kept = await known?.catch(() => undefined)
  if (kept !== undefined && kept.renewAt > now()) return kept.token
  // Another call may have asked for a new one meanwhile.
  if (known === tokens.get(organizationId)) tokens.set(organizationId, fetchToken(organizationId))
  return ((await tokens.get(organizationId)) as Kept).token
}

/** A token that the server did not take is not shown again. */
export function dropToken(organizationId: string): void {
  tokens.delete(organizationId)
}

async function fetchToken(organizationId: string): Promise<Kept> {
  try {
    const answer = await send('GET', '/v1/auth/token', { query: { organizationId } })
    const { token, expiresAt } = (await answer.json()) as { token: string; expiresAt: string }
    // Its life is measured by the server's clock: this one may be wrong.
    const there = toMillis(answer.headers.get('date') ?? '')
    const life = toMillis(expiresAt) - (Number.isNaN(there) ? now() : there)
    return { token, renewAt: now() + Math.max(life - AHEAD, life / 2) }
  } catch (thrown) {
    tokens.delete(organizationId)
    const failure = toFailure(thrown)
    if (failure.status === 401) end()
    throw failure
  }
}

/** What a call answers to whoever has no organization. */
export const NO_ORGANIZATION = new Failure({
  code: 'FORBIDDEN',
  status: 403,
  message: 'You belong to no organization.',
})
