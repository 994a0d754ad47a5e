// The choice of a language at the foot of a page. Without a script its links work too, and lose the rest of the address.

import { call } from './api.js'

const CHOSEN = 'language'

for (const link of document.querySelectorAll('[data-languages] a')) {
  link.addEventListener('click', async (event) => {
    event.preventDefault()
    sessionStorage.setItem(CHOSEN, link.lang)
    if ('session' in document.documentElement.dataset) await keepChoice()
    const address = new URL(location.href)
    address.searchParams.set('lang', link.lang)
    location.assign(address)
  })
}

/** Stores the chosen language in the account of a signed-in person, so that mails use it too. */
export async function keepChoice() {
  const language = sessionStorage.getItem(CHOSEN)
  if (language === null) return
  const body = JSON.stringify({ language })
  const request = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body, keepalive: true }
  const isKept = await call('/v1/auth/account', request).then(
    () => true,
    () => false,
  )
  if (isKept) sessionStorage.removeItem(CHOSEN)
}
