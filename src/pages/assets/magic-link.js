import { post, tokenOfLink } from './api.js'
import { arrive } from './arrive.js'
import { handle, handleSignOut, isFactorAsked } from './form.js'
import { show } from './steps.js'
import { says } from './words.js'

const VERIFY = '/v1/auth/magic-link/verify'
const token = tokenOfLink()

handle('open-link', async () => {
  try {
    leave(await post(VERIFY, { token }))
  } catch (refusal) {
    // Another browser than the one that asked, or a link that has ended: the API does not tell which.
    if (refusal.code !== 'UNAUTHORIZED' || isFactorAsked(refusal)) throw refusal
    show('code')
  }
})
handle('type-code', async ({ code }) => leave(await post(VERIFY, { token, code })), {
  UNAUTHORIZED: says.signIn.wrongLinkCode,
})
handleSignOut()
if (token === undefined) show('dead')

function leave({ user, callbackURL }) {
  if (callbackURL !== null) return location.assign(callbackURL)
  return arrive(user)
}
