import { isDeadLink, post, tokenOfLink } from './api.js'
import { handle } from './form.js'
import { show } from './steps.js'
import { says } from './words.js'

const token = tokenOfLink()

handle(
  'agree',
  () =>
    use(async () => {
      const { status, waitsFor } = await post('/v1/auth/change-email/confirm', { token })
      show(status === 'changed' ? 'changed' : `waits-for-${waitsFor}`)
    }),
  { DUPLICATE: says.changeEmail.taken },
)
handle('refuse', () =>
  use(async () => {
    await post('/v1/auth/change-email/refuse', { token })
    show('refused')
  }),
)
if (token === undefined) show('dead')

async function use(work) {
  try {
    await work()
  } catch (refusal) {
    if (isDeadLink(refusal)) return show('dead')
    // The link of the new mailbox counts in a session of the account alone.
    if (refusal.code === 'UNAUTHORIZED') return show('sign-in')
    throw refusal
  }
}
