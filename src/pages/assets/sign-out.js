import { post } from './api.js'
import { handle } from './form.js'
import { show } from './steps.js'

/** What the application has asked for, by its names in the address and in the body. */
const NAMES = {
  id_token_hint: 'idTokenHint',
  client_id: 'clientId',
  post_logout_redirect_uri: 'postLogoutRedirectUri',
  state: 'state',
}

const query = new URLSearchParams(location.search)
const asked = Object.entries(NAMES).flatMap(([name, member]) => {
  const value = query.get(name)
  return value ? [[member, value]] : []
})

handle('sign-out', async () => {
  const { redirectTo } = await post('/v1/auth/sign-out/application', Object.fromEntries(asked))
  if (redirectTo === null) return show('done')
  location.assign(redirectTo)
})
