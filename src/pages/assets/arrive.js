// Where a person goes after signing in.

import { at } from './api.js'
import { keepChoice } from './languages.js'
import { showSignedIn } from './steps.js'

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
 * Ends every sign-in: leads back to the page that the person came from, or to the console. Without a console the
 * page says who is signed in.
 */
export function arrive(user) {
  keepChoice()
  const back = pathBack(sessionStorage.getItem('back')) ?? document.documentElement.dataset.console
  sessionStorage.removeItem('back')
  if (back !== undefined) return location.replace(back)
  // After a reload the page says who is signed in.
  history.replaceState(null, '', location.pathname)
  showSignedIn(user)
}
