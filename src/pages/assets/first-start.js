import { isDeadLink, post, tokenOfLink } from './api.js'
import { arrive } from './arrive.js'
import { handle, handleSignOut } from './form.js'
import { show } from './steps.js'

const token = tokenOfLink()

handle('first-start', async (typed) => {
  try {
    const { user } = await post('/v1/auth/first-start', { ...typed, token })
    await arrive(user)
  } catch (refusal) {
    if (!isDeadLink(refusal)) throw refusal
    show('dead')
  }
})
handleSignOut()
if (token === undefined) show('dead')
