import { at, get, post, Refusal } from './api.js'
import { handle } from './form.js'
import { show } from './steps.js'

const query = new URLSearchParams(location.search)
const request = query.get('request') ?? ''
const path = `/v1/auth/authorizations/${encodeURIComponent(request)}`
/** Why the authorization server refused to ask: its own words are for programs, and only known ones are shown. */
const WHY = {
  invalid_client: 'The application is not known here.',
  invalid_redirect_uri: 'The application asked to send you to an address that is not its own.',
  invalid_request: 'The application asked in a way that this server does not take.',
  access_denied: 'The request was refused.',
}
let asked

handle('consent', async () => {
  const organizationId = field('organization').value
  const scopes = [...document.querySelectorAll('[data-scopes] input:checked')].map(({ value }) => value)
  await decide({ allow: true, organizationId, scopes })
})
for (const id of ['refuse', 'refuse-nothing']) handle(id, () => decide({ allow: false }))
field('organization').addEventListener('change', showScopes)
await start()

async function start() {
  if (query.has('error')) return show('dead', { why: WHY[query.get('error')] ?? WHY.invalid_request })
  if (request === '') return show('dead')
  try {
    const { user } = await get('/v1/auth/session')
    asked = await get(path)
    open(user)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === 'UNAUTHORIZED') return signIn()
    show('dead')
  }
}

/** Leads through the sign-in, and back to this page. */
function signIn() {
  const back = `${location.pathname}${location.search}`
  location.replace(`${at('/sign-in')}?${new URLSearchParams({ back })}`)
}

function open(user) {
  const { client, organizations, identity, lasts } = asked
  if (organizations.length === 0) return show('nothing', { client: client.name })
  const select = field('organization')
  select.replaceChildren(...organizations.map(({ id, name }) => new Option(name, id)))
  document.querySelector('[data-when="unregistered"]').hidden = client.isRegistered
  showScopes()
  show('ask', {
    client: client.name,
    host: client.host,
    email: user.email,
    identity: wordsForIdentity(identity),
    lasting: lasts
      ? 'It stays connected until you end it, for a year at most.'
      : 'It stays connected until you sign out.',
  })
}

function wordsForIdentity(identity) {
  const known = { profile: 'your name', email: 'your e-mail address' }
  const told = identity.flatMap((name) => known[name] ?? [])
  return told.length === 0 ? '' : `It learns ${told.join(' and ')}.`
}

/** What is asked for, as far as the person may do it in the chosen organization. */
function showScopes() {
  const { scopes: held = [] } = asked.organizations.find(({ id }) => id === field('organization').value) ?? {}
  const shown = asked.scopes.filter(({ name }) => held.includes(name))
  document.querySelector('[data-part="scopes"]').hidden = shown.length === 0
  document.querySelector('[data-scopes]').replaceChildren(...shown.map(toBox))
}

function toBox({ name, about }) {
  const [row, input, label] = ['div', 'input', 'label'].map((tag) => document.createElement(tag))
  row.className = 'check'
  Object.assign(input, { type: 'checkbox', id: `scope-${name}`, value: name, checked: true })
  label.htmlFor = input.id
  label.textContent = about
  row.append(input, label)
  return row
}

async function decide(decision) {
  const { redirectTo } = await post(path, decision)
  show('done')
  location.replace(redirectTo)
}

function field(name) {
  return document.querySelector(`#consent [name="${name}"]`)
}
