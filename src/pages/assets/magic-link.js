import { post, tokenOfLink } from './api.js'
import { handle, handleSignOut } from './form.js'
import { show, showSignedIn } from './steps.js'

const VERIFY = '/v1/auth/magic-link/verify'
const token = tokenOfLink()

handle('open-link', async () => {
  try {
    arrive(await post(VERIFY, { token }))
  } catch (refusal) {
    // Another browser than the one that asked, or a link that has ended: the API does not tell which.
    if (refusal.code !== 'UNAUTHORIZED') throw refusal
    show('code')
  }
})
handle('type-code', async ({ code }) => arrive(await post(VERIFY, { token, code })), {
  UNAUTHORIZED: 'This code does not fit, or the link has ended. Check the code, or ask for a new link.',
})
handleSignOut()
if (token === undefined) show('dead')

function arrive({ user, callbackURL }) {
  if (callbackURL !== null) return location.assign(callbackURL)
  showSignedIn(user)
}
