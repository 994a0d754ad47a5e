// A page is one of several steps at a time.

import { dayOf, fill, says } from './words.js'

/**
 * Shows a step in place of the present one, and puts `facts` into it as text. Its heading takes the
 * focus, so that a screen reader says it.
 */
export function show(name, facts = {}) {
  for (const step of document.querySelectorAll('[data-step]')) step.hidden = step.dataset.step !== name
  const step = document.querySelector(`[data-step="${name}"]`)
  for (const [key, value] of Object.entries(facts)) {
    for (const place of step.querySelectorAll(`[data-text="${key}"]`)) place.textContent = value
    for (const list of step.querySelectorAll(`[data-list="${key}"]`))
      list.replaceChildren(...value.map(toItem))
    for (const part of step.querySelectorAll(`[data-some="${key}"]`)) part.hidden = value.length === 0
  }
  step.querySelector('h1').focus()
}

/** Shows the step for a person who is signed in already and stays on this page. */
export function showSignedIn({ email, organizations }) {
  show('signed-in', { email, organizations })
}

function toItem({ name, ...about }) {
  const item = document.createElement('li')
  const [title, badge] = [document.createElement('strong'), document.createElement('span')]
  title.textContent = name
  badge.textContent = badgeOf(about)
  item.append(title, ' ', badge)
  return item
}

function badgeOf({ role, roleName, status, from }) {
  if (role === undefined)
    return from === undefined
      ? says.factors.requiredNow
      : fill(says.factors.requiredFrom, { date: dayOf(from) })
  return status === 'disabled' ? says.disabled : (says.roles[role] ?? roleName ?? role)
}
