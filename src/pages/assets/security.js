import { call, get, post } from './api.js'
import { pathBack } from './arrive.js'
import { complain, handle } from './form.js'
import { createPasskey, hasPasskeys, showPasskey } from './passkey.js'
import { show } from './steps.js'
import { explain, fill, says } from './words.js'

const FACTORS = '/v1/auth/factors'
/** Where a person came from who was asked to add a factor, or to show one. */
const back = pathBack(new URLSearchParams(location.search).get('back'))
/** The enrolment that waits for its first code. */
let begun
/** The factor that is to be removed. */
let chosen
/** What is done once a second factor was shown. */
let after

handle('add-totp', () => guarded(beginTotp))
handle('add-passkey', () =>
  guarded(async () => {
    const { options } = await post(`${FACTORS}/passkeys/options`)
    const { recoveryCodes } = await post(`${FACTORS}/passkeys`, { credential: await createPasskey(options) })
    await showCodes(recoveryCodes)
  }),
)
handle('confirm-totp', ({ totp }) =>
  guarded(async () => {
    const { recoveryCodes } = await post(`${FACTORS}/${begun.id}/confirm`, { code: totp })
    await showCodes(recoveryCodes)
  }),
)
handle('renew-codes', () =>
  guarded(async () => showCodes((await post('/v1/auth/recovery-codes')).recoveryCodes)),
)
handle('remove-factor', () =>
  guarded(async () => {
    await call(`${FACTORS}/${chosen.id}`, { method: 'DELETE' })
    await open()
  }),
)
handle('step-up', async ({ shown }) => {
  const digits = shown.replace(/\s/g, '')
  await post('/v1/auth/step-up', /^\d{6}$/.test(digits) ? { code: digits } : { recoveryCode: shown })
  document.getElementById('step-up-shown').value = ''
  await guarded(after)
})
handle('step-up-passkey', async () => {
  const { options } = await post('/v1/auth/step-up/options')
  await post('/v1/auth/step-up', { passkey: await showPasskey(options) })
  await guarded(after)
})
for (const part of document.querySelectorAll('[data-passkeys]')) part.hidden = !hasPasskeys
handle('kept-codes', () => (back === undefined ? open() : location.replace(back)))
handle('retry', open)
await open().catch((refusal) => {
  if (refusal.code === 'UNAUTHORIZED') return show('sign-in')
  show('trouble')
  complain('retry', explain(refusal, []).sentence)
})

async function open() {
  const { data, recoveryCodesLeft } = await get(FACTORS)
  document.querySelector('[data-factors]').replaceChildren(...data.map(toItem))
  for (const part of document.querySelectorAll('[data-when="some"]')) part.hidden = data.length === 0
  for (const part of document.querySelectorAll('[data-when="none"]')) part.hidden = data.length > 0
  if (location.hash === '#step-up' && data.length > 0) {
    history.replaceState(null, '', location.pathname)
    after = back === undefined ? open : async () => location.replace(back)
    document.querySelector('[data-method="passkey"]').hidden =
      !hasPasskeys || data.every(({ kind }) => kind !== 'passkey')
    return show('show')
  }
  show('factors', { left: recoveryCodesLeft })
}

/** Does a change; where a factor is asked for first, does it after that was shown. */
async function guarded(work) {
  try {
    await work()
  } catch (refusal) {
    if (refusal.details?.reason !== 'step_up_required') throw refusal
    after = work
    const { methods } = refusal.details
    document.querySelector('[data-method="passkey"]').hidden = !hasPasskeys || !methods.includes('passkey')
    show(methods.length === 0 ? 'sign-in' : 'show')
  }
}

async function beginTotp() {
  begun = await post(`${FACTORS}/totp`, {})
  document.querySelector('.qr').setAttribute('viewBox', `0 0 ${begun.qrCode.size} ${begun.qrCode.size}`)
  document.querySelector('.qr path').setAttribute('d', begun.qrCode.path)
  show('totp', { secret: begun.secret.match(/.{4}/g).join(' ') })
}

async function showCodes(codes) {
  if (codes === null) return open()
  document.querySelector('[data-codes]').replaceChildren(
    ...codes.map((code) => {
      const item = document.createElement('li')
      item.textContent = code
      return item
    }),
  )
  show('codes')
}

function toItem(factor) {
  const item = document.createElement('li')
  const [title, kind, button] = ['strong', 'span', 'button'].map((tag) => document.createElement(tag))
  title.textContent = factor.name
  kind.textContent = says.factors[factor.kind]
  button.type = 'button'
  button.className = 'remove'
  button.textContent = says.factors.remove
  button.ariaLabel = fill(says.factors.removeNamed, { name: factor.name })
  button.addEventListener('click', () => {
    chosen = factor
    show('remove', { name: factor.name })
  })
  item.append(title, ' ', kind, ' ', button)
  return item
}
