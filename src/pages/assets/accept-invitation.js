import { get, isDeadLink, post, tokenOfLink } from './api.js'
import { arrive } from './arrive.js'
import { complain, handle, handleProviders, handleSignOut } from './form.js'
import { show } from './steps.js'
import { dayOf, explain } from './words.js'

const token = tokenOfLink()

handle('sign-up', async (typed) => {
  const { user } = await post('/v1/auth/sign-up/email', { ...typed, invitationToken: token })
  await arrive(user)
})
handle('retry', open)
handleProviders({ invitationToken: token })
handleSignOut()
if (token === undefined) show('dead')
else await open().catch(tellTrouble)

/** Fills in the form. Reading the invitation does not use it. */
async function open() {
  const { email, organizations, expiresAt } = await get('/v1/invitations/preview', { token }).catch(
    (refusal) => {
      if (isDeadLink(refusal)) return {}
      throw refusal
    },
  )
  if (email === undefined) return show('dead')
  document.getElementById('sign-up-email').value = email
  // For a person who has an account already.
  sessionStorage.setItem('email', email)
  show('join', { organizations, expiresAt: dayOf(expiresAt) })
}

function tellTrouble(refusal) {
  show('trouble')
  complain('retry', explain(refusal, []).sentence)
}
