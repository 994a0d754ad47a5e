import { isDeadLink, post, tokenOfLink } from './api.js'
import { handle, handleSignOut } from './form.js'
import { show, showSignedIn } from './steps.js'

const token = tokenOfLink()

handle('confirm-email', async () => {
  try {
    const { user } = await post('/v1/auth/verify-email', { token })
    showSignedIn(user)
  } catch (refusal) {
    if (!isDeadLink(refusal)) throw refusal
    show('dead')
  }
})
handleSignOut()
if (token === undefined) show('dead')
