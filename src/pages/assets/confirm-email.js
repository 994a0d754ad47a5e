import { isDeadLink, post, tokenOfLink } from './api.js'
import { arrive } from './arrive.js'
import { handle, handleSignOut } from './form.js'
import { show } from './steps.js'

const token = tokenOfLink()

handle('confirm-email', () => confirm({ token }))
handle('type-password', ({ password }) => confirm({ token, password }))
handleSignOut()
if (token === undefined) show('dead')

async function confirm(proof) {
  try {
    const { user } = await post('/v1/auth/verify-email', proof)
    await arrive(user)
  } catch (refusal) {
    if (isDeadLink(refusal)) return show('dead')
    // Another browser than the one that signed up.
    if (refusal.details?.reason === 'another_browser') return show('password')
    throw refusal
  }
}
