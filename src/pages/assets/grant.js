// What a person grants: the organization and the scopes that the form `consent` offers.

import { at } from './api.js'
import { says } from './words.js'

const form = document.getElementById('consent')
const organization = form.querySelector('[name="organization"]')
let offered

organization.addEventListener('change', showScopes)

/** Shows the requested permissions that the person may grant. */
export function offer(asked) {
  offered = asked
  organization.replaceChildren(...asked.organizations.map(({ id, name }) => new Option(name, id)))
  form.querySelector('[data-text="identity"]').textContent = wordsForIdentity(asked.identity)
  showScopes()
}

/** The choice of the person. */
export function chosen() {
  const scopes = [...form.querySelectorAll('[data-scopes] input:checked')].map(({ value }) => value)
  return { organizationId: organization.value, scopes }
}

/**
 * Sends the grant. If it requires a recent second factor, the browser goes to the page of second factors first and returns to this one.
 */
export async function grantBy(send) {
  try {
    return await send()
  } catch (refusal) {
    if (refusal.details?.reason !== 'step_up_required') throw refusal
    const back = `${location.pathname}${location.search}`
    location.assign(`${at('/security')}?${new URLSearchParams({ back })}#step-up`)
    // The form stays busy until the browser has left.
    return new Promise(() => {})
  }
}

export function wordsForLasting({ lasts }) {
  return lasts ? says.consent.lasts : says.consent.lastsWhileSignedIn
}

function wordsForIdentity(identity) {
  const [name, email] = ['profile', 'email'].map((scope) => identity.includes(scope))
  if (name && email) return says.consent.learnsBoth
  return name ? says.consent.learnsName : email ? says.consent.learnsEmail : ''
}

/** Shows the requested permissions that the person has in the chosen organization. */
function showScopes() {
  const { scopes: held = [] } = offered.organizations.find(({ id }) => id === organization.value) ?? {}
  const shown = offered.scopes.filter(({ name }) => held.includes(name))
  form.querySelector('[data-part="scopes"]').hidden = shown.length === 0
  form.querySelector('[data-scopes]').replaceChildren(...shown.map(toBox))
}

function toBox({ name, about }) {
  const [row, input, label] = ['div', 'input', 'label'].map((tag) => document.createElement(tag))
  row.className = 'check'
  Object.assign(input, { type: 'checkbox', id: `scope-${name}`, value: name, checked: true })
  label.htmlFor = input.id
  label.textContent = says.permissions[name] ?? about
  row.append(input, label)
  return row
}
