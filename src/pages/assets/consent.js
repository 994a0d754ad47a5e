import { at, get, post, Refusal } from './api.js'
import { handle } from './form.js'
import { chosen, grantBy, offer, wordsForLasting } from './grant.js'
import { show } from './steps.js'
import { says } from './words.js'

const query = new URLSearchParams(location.search)
const request = query.get('request') ?? ''
const path = `/v1/auth/authorizations/${encodeURIComponent(request)}`

handle('consent', () => decide({ allow: true, ...chosen() }))
handle('sign-in-again', async () => {
  await post('/v1/auth/sign-out')
  signIn()
})
for (const id of ['refuse', 'refuse-again', 'refuse-nothing']) handle(id, () => decide({ allow: false }))
await start()

async function start() {
  if (query.has('error')) return show('dead', { why: wordsForError(query.get('error')) })
  if (request === '') return show('dead')
  try {
    const { user } = await get('/v1/auth/session')
    open(user, await get(path))
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

function open({ email }, asked) {
  const { client, organizations } = asked
  if (asked.needsNewSignIn) return show('again', { client: client.name })
  if (organizations.length === 0) return show('nothing', { client: client.name })
  offer(asked)
  document.querySelector('[data-when="unregistered"]').hidden = client.isRegistered
  show('ask', { client: client.name, host: client.host, email, lasting: wordsForLasting(asked) })
}

/** Why the authorization server refused to ask: its own words are for programs, and only known ones are shown. */
function wordsForError(error) {
  const { errors } = says.consent
  return Object.hasOwn(errors, error) ? errors[error] : errors.invalid_request
}

async function decide(decision) {
  const { redirectTo } = await grantBy(() => post(path, decision))
  show('done')
  location.replace(redirectTo)
}
