// Where a person goes after signing in.

import { at, get } from './api.js'
import { keepChoice } from './languages.js'
import { show, showSignedIn } from './steps.js'

/** Paths for people; all other paths of the server are for programs. */
const PLACES = ['/console', '/api/docs', '/security', '/consent', '/device']

/** A path of this server from the query of the address, which is untrusted; undefined for anything else. */
export function pathBack(text) {
  if (text === null || !URL.canParse(text, location.origin)) return undefined
  const { origin, pathname, search, hash } = new URL(text, location.origin)
  const isOurs = PLACES.some((place) => pathname === at(place) || pathname.startsWith(`${at(place)}/`))
  return origin === location.origin && isOurs ? pathname + search + hash : undefined
}

/** Keeps the page that the person came from on the way through a provider. */
export function keepBack(back) {
  if (back === undefined) sessionStorage.removeItem('back')
  else sessionStorage.setItem('back', back)
}

/**
 * Asks a person to add the second factor that an organization requires, on the page for signing in. The person may put it off as long as
 * one organization opens without it.
 * @returns whether it asks
 */
async function askToAdd({ organizations }) {
  const due = organizations.filter(({ secondFactorDueAt }) => secondFactorDueAt !== null)
  const back = pathBack(sessionStorage.getItem('back'))
  if (due.length === 0 || back === at('/security')) return false
  const link = document.querySelector('[data-add-factor]')
  if (link === null) {
    location.replace(at('/sign-in?done'))
    return true
  }
  const then = back ?? document.documentElement.dataset.console
  if (then !== undefined) link.search = new URLSearchParams({ back: then })
  const named = await Promise.all(
    due.map(async (one) => ({
      name: one.name,
      from: (await isShut(one)) ? undefined : one.secondFactorDueAt,
    })),
  )
  const isOpen = due.length < organizations.length || named.some(({ from }) => from !== undefined)
  document.getElementById('add-later').hidden = !isOpen
  show('add-factor', { due: named })
  return true
}

/** Whether an organization gives no token any more: the server's clock decides, not that of the browser. */
function isShut({ id }) {
  return get('/v1/auth/token', { organizationId: id }).then(
    () => false,
    (refusal) => refusal.details?.reason === 'second_factor_required',
  )
}

/**
 * Ends every sign-in: leads back to the page that the person came from, or to the console. Without a console the
 * page says who is signed in.
 */
export async function arrive(user) {
  if (!(await askToAdd(user))) goOn(user)
}

/** The same, without asking. */
export function goOn(user) {
  keepChoice()
  const back = pathBack(sessionStorage.getItem('back')) ?? document.documentElement.dataset.console
  sessionStorage.removeItem('back')
  if (back !== undefined) return location.replace(back)
  // After a reload the page says who is signed in.
  history.replaceState(null, '', location.pathname)
  showSignedIn(user)
}
