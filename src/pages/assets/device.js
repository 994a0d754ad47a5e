import { at, get, post, Refusal } from './api.js'
import { handle } from './form.js'
import { chosen, grantBy, offer, wordsForLasting } from './grant.js'
import { show } from './steps.js'
import { minutesAgo, says } from './words.js'

const words = { ENTITY_NOT_FOUND: says.device.gone, RATE_LIMITED: says.device.tooManyCodes }
const typed = document.querySelector('#device [name="userCode"]')
let userCode
let user

handle('device', ({ userCode: code }) => ask(code), words)
handle(
  'consent',
  async () => {
    await grantBy(() => post('/v1/auth/devices/decision', { userCode, allow: true, ...chosen() }))
    show('done')
  },
  words,
)
for (const id of ['refuse', 'refuse-nothing'])
  handle(
    id,
    async () => {
      await post('/v1/auth/devices/decision', { userCode, allow: false })
      show('refused')
    },
    words,
  )
await start()

async function start() {
  try {
    ;({ user } = await get('/v1/auth/session'))
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'UNAUTHORIZED') throw thrown
    return signIn()
  }
  // The link that a device shows has its code; the person compares it with the device all the same.
  typed.value = new URLSearchParams(location.search).get('user_code')?.slice(0, 32) ?? ''
  show('enter')
}

/** Leads through the sign-in, and back to this page. */
function signIn() {
  const back = `${location.pathname}${location.search}`
  location.replace(`${at('/sign-in')}?${new URLSearchParams({ back })}`)
}

async function ask(code) {
  const asked = await post('/v1/auth/devices', { userCode: code })
  const { client, device } = asked
  userCode = code
  if (asked.organizations.length === 0) return show('nothing', { client: client.name })
  offer(asked)
  document.querySelector('[data-when="unregistered"]').hidden = client.isRegistered
  document.querySelector('[data-when="elsewhere"]').hidden = device.isSameNetwork
  show('ask', {
    code: spell(code),
    email: user.email,
    client: client.name,
    program: device.program || says.device.noProgram,
    address: device.address,
    asked: wordsForAge(device),
    lasting: wordsForLasting(asked),
  })
}

function wordsForAge({ ageSeconds }) {
  const minutes = Math.floor(ageSeconds / 60)
  return minutes < 1 ? says.device.justNow : minutesAgo(minutes)
}

/** A code as devices show it. */
function spell(code) {
  const letters = code.toUpperCase().replace(/[^A-Z]/g, '')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}
