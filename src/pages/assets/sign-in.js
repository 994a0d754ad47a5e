import { at, get, post } from './api.js'
import { arrive, goOn, keepBack, pathBack } from './arrive.js'
import { complain, handle, handleProviders, handleSignOut } from './form.js'
import { hasPasskeys, showPasskey } from './passkey.js'
import { show, showSignedIn } from './steps.js'
import { says } from './words.js'

const query = new URLSearchParams(location.search)
/** The steps that have an address of their own, so that the browser's Back leads from one to the other. */
const ADDRESSED = ['password', 'organization', 'link', 'forgot', 'second-factor', 'recovery']
const SECOND_FACTOR = '/v1/auth/sign-in/second-factor'
/** Who has signed in. */
let arrived
/** The address from the page of an invitation, or from one of the forms. */
let email = sessionStorage.getItem('email') ?? ''
sessionStorage.removeItem('email')
/** The page that sent the person here to sign in. Pages of a provider may have come in between. */
const back = pathBack(query.get('back') ?? sessionStorage.getItem('back'))
keepBack(back)

handle(
  'sign-in',
  async ({ email, password }) => {
    const { user } = await post('/v1/auth/sign-in/email', { email, password })
    await leave(user)
  },
  {
    UNAUTHORIZED: says.signIn.wrongPassword,
  },
)
handle('sign-in-sso', async ({ email }) => {
  const here = new URL(at('/sign-in'), location.origin).href
  const ways = { callbackURL: `${here}?done`, errorCallbackURL: here }
  const { authUrl } = await post('/v1/auth/sign-in/sso', { email, ...ways })
  location.assign(authUrl)
})
handle('ask-link', async (typed) => {
  email = typed.email
  // The link may be opened in another tab, which does not know where one came from.
  const callbackURL = back === undefined ? undefined : new URL(back.split('#')[0], location.origin).href
  await post('/v1/auth/magic-link', { email, callbackURL })
  show('code', { email })
})
handle(
  'type-code',
  async ({ code }) => {
    const { user } = await post('/v1/auth/magic-link/verify', { email, code })
    await leave(user)
  },
  { UNAUTHORIZED: says.signIn.wrongCode },
)
handle('forgot-password', async (typed) => {
  email = typed.email
  await post('/v1/auth/forget-password', { email })
  show('mailed', { email })
})
handle(
  'sign-in-passkey',
  async () => {
    const { options } = await post('/v1/auth/sign-in/passkey/options')
    const { user } = await post('/v1/auth/sign-in/passkey', { credential: await showPasskey(options) })
    await leave(user)
  },
  { UNAUTHORIZED: says.signIn.wrongPasskey },
)
handle('show-passkey', async () => {
  const { options } = await post(`${SECOND_FACTOR}/options`)
  await leaveTo(await post(SECOND_FACTOR, { passkey: await showPasskey(options) }))
})
for (const part of document.querySelectorAll('[data-passkeys]')) part.hidden = !hasPasskeys
handle('show-totp', async ({ totp }) => leaveTo(await post(SECOND_FACTOR, { code: totp })))
handle('show-recovery', async ({ recoveryCode }) => leaveTo(await post(SECOND_FACTOR, { recoveryCode })))
document.getElementById('add-later').addEventListener('click', () => goOn(arrived))
handleProviders()
handleSignOut()
for (const input of document.querySelectorAll('input[name="email"]')) {
  input.value = email
  input.addEventListener('input', () => copyAddress(input.value))
}
document.querySelector('[data-when="invitation"]').hidden = !query.has('invitation')
addEventListener('hashchange', follow)
for (const link of document.querySelectorAll('a[href^="#"]')) {
  // The address may be there already, and then it does not change.
  link.addEventListener('click', () => showAddressed(link.hash.slice(1)))
}
await start()

async function start() {
  const hasSession = document.querySelector('[data-step="opening"]').hidden === false
  // An invitation is accepted by signing in, and a form that was asked for by name is shown.
  const isAsked = ['invitation', 'error'].some((name) => query.has(name)) || location.hash !== ''
  const mayBeIn = (hasSession || query.has('done')) && !isAsked
  const session = mayBeIn ? await get('/v1/auth/session').catch(() => undefined) : undefined
  if (session !== undefined && (back !== undefined || query.has('done'))) {
    // What an organization's identity provider began adds no factor to the account.
    return session.session.identityProviderId === null ? leave(session.user) : goOn(session.user)
  }
  if (session !== undefined) return showSignedIn(session.user)
  if (hasSession || location.hash !== '') follow()
  if (query.has('error')) complain('sign-in', wordsForError(query.get('error')))
}

function leave(user) {
  arrived = user
  removeEventListener('hashchange', follow)
  return arrive(user)
}

/** Where a sign-in that waited for its second factor was to lead. */
function leaveTo({ user, callbackURL }) {
  if (callbackURL !== null) return location.assign(callbackURL)
  return leave(user)
}

function follow() {
  const name = location.hash.slice(1)
  return showAddressed(ADDRESSED.includes(name) ? name : 'password')
}

/** The steps of a second factor are shown while a sign-in waits for it. */
async function showAddressed(name) {
  if (!['second-factor', 'recovery'].includes(name)) return show(name)
  const waiting = await get(SECOND_FACTOR).catch(() => undefined)
  if (waiting === undefined) return show('password')
  for (const part of document.querySelectorAll('[data-method]'))
    part.hidden =
      !waiting.methods.includes(part.dataset.method) || (part.dataset.method === 'passkey' && !hasPasskeys)
  show(name)
}

/** What a provider's refusal led back with: only known words are shown, never the query's own. */
function wordsForError(code) {
  return code === 'FORBIDDEN' ? says.signIn.noInvitation : says.signIn.notCompleted
}

/** An address is typed once, whichever form it was typed into. */
function copyAddress(value) {
  email = value
  for (const other of document.querySelectorAll('input[name="email"]')) other.value = value
}
