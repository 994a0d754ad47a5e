import type { Visitor } from './door.ts'
import type { Stage } from './perform.ts'
import * as step from './steps.ts'

/** Connects an account at the provider beside the tour, renews its token, and calls its API for a credit. */
export async function accountIsConnected(stage: Stage, ada: Visitor): Promise<void> {
  const { print, peers, door } = stage
  const { provider } = peers
  print.chapter(
    'Ada connects an account at another service',
    'Postern keeps the tokens, renews them, and calls the API with them. It shows them to nobody.',
  )
  const begun = await door.call(ada, 'POST /v1/connections/oauth/authorize', {
    body: { provider: 'acme', redirectUrl: `${peers.baseUrl}/connected` },
    status: 200,
  })
  print.peer('the provider asks Ada, and sends her browser back', provider.origin)
  const callback = provider.authorize(begun.body.authUrl)
  const back = await door.call(ada, `GET ${callback}`, { by: 'session', status: 302 })
  const location = new URL(back.headers.get('location') ?? '')
  const id = location.searchParams.get('connectionId') ?? ''
  print.shown('Location', location.href)
  print.check(
    'The provider was shown the secret behind the challenge of the first step: PKCE',
    provider.forms[0]?.has('code_verifier'),
    true,
  )
  const connection = await door.call(ada, `GET /v1/connections/${id}`, {
    status: 200,
    show: step.only('id', 'provider', 'status', 'scopes', 'refreshable'),
  })
  print.check('The connection is there, and can be used', connection.body.status, 'active')

  const refreshed = await door.call(ada, `POST /v1/connections/${id}/refresh`, { status: 200 })
  print.check(
    'Its token was renewed: one request, with a refresh token that is used up now',
    [refreshed.body.status, provider.forms.length, provider.reused.length],
    ['active', 2, 0],
  )
  const fetched = await door.call(ada, `POST /v1/connections/${id}/fetch`, {
    body: { method: 'GET', url: `${provider.origin}/v1/calendar` },
    status: 200,
    show: step.only('status', 'body'),
  })
  print.check('The API answered, to a token that Ada never saw', fetched.body.body, '{"hello":"world"}')
  const ledger = await door.call(ada, 'GET /v1/billing/ledger?limit=1', {
    status: 200,
    show: ({ data }) => ({ data: data.map(step.only('kind', 'amount', 'action', 'reference')) }),
  })
  const { kind, amount, action, reference } = ledger.body.data[0]
  print.check(
    'It cost one credit, and the ledger says what for',
    [kind, amount, action, reference],
    ['debit', -1, 'connection.fetch', id],
  )
}
