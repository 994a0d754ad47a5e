import assert from 'node:assert/strict'
import { member, type Person } from './people.ts'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

/** An address that the mail server of the test refuses. */
const UNKNOWN = 'alan.turing@acme.test'

/** Makes members, invitations with mails in every state, API keys, and a role. @returns ids by the path of their screen */
export async function fillPeople(postern: Postern, admin: Person): Promise<Record<string, string>> {
  postern.mailbox.behaviour.onRecipient = (address) =>
    address === UNKNOWN ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }) : undefined
  const { token } = admin
  const post = async (path: string, body: object) => {
    const answer = await admin.client.post(path, body, { token })
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer.body
  }
  await member(postern, admin)
  const invited = await post('/v1/invitations', { email: 'grace.hopper@acme.test' })
  await post('/v1/invitations', { email: UNKNOWN, role: 'administrator', expiresInDays: 3 })
  await post('/v1/invitations', { email: 'bob@acme.test', sendEmail: false })
  const revoked = await post('/v1/invitations', { email: 'left@acme.test' })
  await admin.client.delete(`/v1/invitations/${revoked.id}`, { token })
  await post('/v1/api-keys', { name: 'Deploys', role: 'administrator', expiresInDays: 90 })
  await post('/v1/api-keys', { name: 'Nightly report' })
  const permissions = ['deliveries:read', 'deliveries:write', 'members:read']
  await post('/v1/roles', { name: 'Support <b>team</b>', description: '<i>Calls</i> back', permissions })
  await post('/v1/domains', { name: 'acme.test' })
  await post('/v1/identity-providers', {
    ...{
      kind: 'oidc',
      name: 'Acme <b>login</b>',
      roleRules: [{ claim: 'groups', value: 'it', role: 'member' }],
    },
    oidc: { issuer: 'https://8.8.8.8', clientId: 'postern', clientSecret: 'secret' },
  })
  const it = { name: 'IT of <b>Acme</b>', purposes: ['domains', 'provider'] }
  const { url } = await post('/v1/setup-links', it)
  const ended = await post('/v1/setup-links', { ...it, email: 'it@acme.test' })
  await admin.client.delete(`/v1/setup-links/${ended.id}`, { token })
  const opened = await postern.client().post('/v1/setup/open', { token: new URL(url).hash.slice(1) })
  assert.equal(opened.status, 200, opened.text)
  await until(
    async () => (await admin.client.get('/v1/mails?status=failed', { token })).body.data.length,
    (failed) => failed > 0,
    { what: 'a mail that failed' },
  )
  return { '/invitations/:id': invited.id }
}
