import { isDeadLink, post, tokenOfLink } from './api.js'
import { handle } from './form.js'
import { show } from './steps.js'

const token = tokenOfLink()

handle('reset-password', async ({ newPassword }) => {
  try {
    await post('/v1/auth/reset-password', { token, newPassword })
    show('done')
  } catch (refusal) {
    if (!isDeadLink(refusal)) throw refusal
    show('dead')
  }
})
if (token === undefined) show('dead')
