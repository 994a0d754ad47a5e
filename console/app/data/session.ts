import type { CreateRoleBodyPermission, SessionUser } from '#sdk/postern.ts'
import { MINUTE, type Millis, now, SECOND, toMillis } from '../clock.ts'
import { root } from '../root.ts'
import { organizationId } from '../router.ts'
import { createStore } from '../store.ts'
import { fetchOnce } from './early-answers.ts'
import { type Failure, toFailure } from './failure.ts'
import { createClient } from './operations.ts'
import { withStepUp } from './step-up.ts'

export type Person = SessionUser
export type Organization = Person['organizations'][number]
/** A row of docs/scopes.md, such as `webhooks:write`. */
export type Permission = CreateRoleBodyPermission

/** The state of the session. */
export type Session =
  | { state: 'opening' }
  | { state: 'in'; person: Person }
  /** The session has ended; `wasIn` says that it ended while the console was in use. */
  | { state: 'out'; wasIn: boolean }
  | { state: 'unknown'; failure: Failure }

export const session = createStore<Session>({ state: 'opening' })

/** What the person may do in each organization, as its last token says. */
export const rights = createStore<Record<string, readonly Permission[]>>({})

/** What the session's cookie alone may do, which no script can read. */
export const byCookie = createClient({
  baseUrl: `${globalThis.location?.origin ?? 'http://localhost'}${root()}`,
  fetch: withStepUp(fetchOnce),
})

/** Between the tabs of this browser. */
interface Notice {
  kind: 'signed-out' | 'changed'
}

const tabs = globalThis.document === undefined ? undefined : new BroadcastChannel('postern.session')
tabs?.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
  if (data.kind === 'signed-out') end()
  else void openAgain()
})

/** Asks the server for the session and its account. */
export async function openSession(): Promise<void> {
  const before = session.get()
  try {
    const { user } = await byCookie.sessions.current({ deadlineMs: 10 * SECOND })
    // The answer may be older than the end of the session.
    if (session.get().state !== 'out' || session.get() === before) session.set({ state: 'in', person: user })
  } catch (thrown) {
    const failure = toFailure(thrown)
    if (failure.status === 401) return end()
    session.set({ state: 'unknown', failure })
  }
}

/** Ends the session here and in every other tab. */
export async function signOut(): Promise<void> {
  const { redirectTo } = await byCookie.auth.signOut()
  tabs?.postMessage({ kind: 'signed-out' } satisfies Notice)
  end()
  // The identity provider ends its session, too.
  if (redirectTo !== undefined) location.assign(redirectTo)
}

/** Tells this tab and the others that the person or an organization has another name, or the person another role. */
export async function personChanged(): Promise<void> {
  tabs?.postMessage({ kind: 'changed' } satisfies Notice)
  await openAgain()
}

/** The session anew, and with it the token, which says what the person may do. */
async function openAgain(): Promise<void> {
  tokens.clear()
  await openSession()
  const open = organizationId()
  if (open !== undefined) await tokenFor(open).catch(() => {})
}

/** The session is over: all answers that it gave access to are forgotten. */
export function end(): void {
  tokens.clear()
  const { state } = session.get()
  // Calls that were under way are refused afterwards, and end it once more.
  if (state !== 'out') session.set({ state: 'out', wasIn: state === 'in' })
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
/** A token is renewed this long before its end, so that no call carries an expired one. */
const AHEAD = 5 * MINUTE

/**
 * The bearer token for calls of that organization, renewed before its end.
 * @param refused one that the server did not take: another is fetched
 * @throws PosternError
 */
export async function tokenFor(organizationId: string, refused?: string): Promise<string> {
  const known = tokens.get(organizationId)
  const kept = await known?.catch(() => undefined)
  if (kept !== undefined && kept.renewAt > now() && kept.token !== refused) return kept.token
  // Another call may have requested a new token in the meantime.
  if (known === tokens.get(organizationId)) tokens.set(organizationId, fetchToken(organizationId))
  return ((await tokens.get(organizationId)) as Kept).token
}

async function fetchToken(organizationId: string): Promise<Kept> {
  try {
    const { token, expiresAt } = await byCookie.auth.token({ organizationId }, { deadlineMs: 10 * SECOND })
    const { iat = 0, exp = 0, permissions } = contentOf(token)
    // Its life is by the server's clock alone: this one may be wrong.
    const life = exp > iat ? (exp - iat) * SECOND : toMillis(expiresAt) - now()
    if (permissions !== undefined) rights.set({ ...rights.get(), [organizationId]: permissions })
    return { token, renewAt: now() + Math.max(life - AHEAD, life / 2) }
  } catch (thrown) {
    tokens.delete(organizationId)
    const failure = toFailure(thrown)
    if (failure.status === 401) end()
    // The membership has changed: read the organizations again.
    if (failure.status === 403) void openSession()
    throw failure
  }
}

/** What a token says; nothing where it cannot be read. */
function contentOf(token: string): { iat?: number; exp?: number; permissions?: Permission[] } {
  try {
    return JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return {}
  }
}
