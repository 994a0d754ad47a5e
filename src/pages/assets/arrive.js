// Where somebody goes who has signed in.

import { at } from './api.js'
import { showSignedIn } from './steps.js'

/** What people come back to; the rest of our paths is for programs. */
const PLACES = ['/console', '/api/docs']

/** A path of ours out of an address's query, which may say anything; undefined where it is none. */
export function pathBack(text) {
  if (text === null || !URL.canParse(text, location.origin)) return undefined
  const { origin, pathname, search, hash } = new URL(text, location.origin)
  const isOurs = PLACES.some((place) => pathname === at(place) || pathname.startsWith(`${at(place)}/`))
  return origin === location.origin && isOurs ? pathname + search + hash : undefined
}

/** Keeps where somebody came from who is sent on to a provider, and back. */
export function keepBack(back) {
  if (back === undefined) sessionStorage.removeItem('back')
  else sessionStorage.setItem('back', back)
}

/**
 * The end of everything that signs somebody in: back to where one came from, or to the console. Where there is none, the
 * page says who is signed in.
 */
export function arrive(user) {
  const back = pathBack(sessionStorage.getItem('back')) ?? document.documentElement.dataset.console
  sessionStorage.removeItem('back')
  if (back !== undefined) return location.replace(back)
  // Loaded again, the page shows who is signed in.
  history.replaceState(null, '', location.pathname)
  showSignedIn(user)
}
