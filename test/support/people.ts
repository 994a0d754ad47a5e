import assert from 'node:assert/strict'
import type { Client } from './browser.ts'
import { OPERATOR_TOKEN, type Postern, postern } from './postern.ts'

/** A password that no list knows. */
export const PASSWORD = 'correct horse 7 battery'

let counter = 0

/** A new address. */
export function newEmail(name = 'person'): string {
  counter += 1
  return `${name}-${counter}-${process.pid}@acme.test`
}

/** A person who has signed up and signed in. */
export interface Person {
  client: Client
  email: string
  accountId: string
  organizationId: string
  /** A JWT for that organization. */
  token: string
}

/**
 * A new organization's first administrator, let in by the operator's API without a mail: the command opens the store for each, which
 * takes several times as long.
 */
export async function administrator(server: Postern, organization = `Org ${newEmail()}`): Promise<Person> {
  const email = newEmail('admin')
  const client = server.client()
  const call = { token: OPERATOR_TOKEN }
  const made = await client.post('/v1/operator/organizations', { name: organization }, call)
  // There is one of that name, or no operator's API.
  if (made.status !== 201) return invitedByCommand(server, organization, email)
  const organizationId: string = made.body.id
  const path = `/v1/operator/organizations/${organizationId}/invitations`
  const invited = await client.post(path, { email, sendEmail: false }, call)
  assert.equal(invited.status, 201, invited.text)
  const invitationToken = new URL(invited.body.acceptUrl).searchParams.get('token') ?? ''
  return signUp(server, { email, invitationToken, organizationId })
}

/** An administrator as a newcomer makes one: by `postern invite`, with a mail. */
export async function invitedByCommand(
  server: Postern,
  organization = `Org ${newEmail()}`,
  email = newEmail('admin'),
): Promise<Person> {
  const { code, out, err } = await postern(
    server,
    'invite',
    '--organization',
    organization,
    '--email',
    email,
    '--role',
    'administrator',
    '--json',
  )
  assert.equal(code, 0, err)
  const { token, organizationId } = JSON.parse(out) as { token: string; organizationId: string }
  return signUp(server, { email, invitationToken: token, organizationId })
}

/** Makes a person: an administrator invites the address over the API, and the person signs up with the link of the mail. */
export async function member(
  server: Postern,
  inviter: Person,
  role = 'member',
  email = newEmail('member'),
): Promise<Person> {
  const invited = await server.client().post('/v1/invitations', { email, role }, { token: inviter.token })
  assert.equal(invited.status, 201, invited.text)
  const mail = await server.mailbox.next(email)
  return signUp(server, { email, invitationToken: mail.token, organizationId: inviter.organizationId })
}

/** Has an administrator change what a member may do. */
export async function changeRole(
  server: Postern,
  { token, organizationId }: Person,
  { accountId }: Person,
  role: 'administrator' | 'member',
): Promise<void> {
  const path = `/v1/organizations/${organizationId}/members/${accountId}`
  const answer = await server.client().patch(path, { role }, { token })
  assert.equal(answer.status, 200, answer.text)
}

/** Changes a person's own name. */
export async function rename({ client, token }: Person, firstName: string, lastName: string): Promise<void> {
  const answer = await client.patch('/v1/auth/account', { firstName, lastName }, { token })
  assert.equal(answer.status, 200, answer.text)
}

/** Signs up with an invitation's token and takes a JWT. */
export async function signUp(
  server: Postern,
  {
    email,
    invitationToken,
    organizationId,
  }: { email: string; invitationToken: string; organizationId: string },
): Promise<Person> {
  const client = server.client()
  const answer = await client.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken }))
  assert.equal(answer.status, 201, answer.text)
  const token = await tokenOf(client, organizationId)
  return { client, email, accountId: answer.body.user.id, organizationId, token }
}

export function signUpBody(email: string, more: object = {}): Record<string, unknown> {
  return { firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD, termsAccepted: true, ...more }
}

/** A JWT for an organization, from a client's session. */
export async function tokenOf(client: Client, organizationId?: string): Promise<string> {
  const query = organizationId === undefined ? '' : `?organizationId=${organizationId}`
  const answer = await client.get(`/v1/auth/token${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.token
}

/** The organization of a new API key's administrator, as a machine would use it. */
export async function apiKey(
  server: Postern,
  owner: Person,
  role = 'administrator',
  scopes?: string[],
): Promise<string> {
  const body = { name: 'machine', role, ...(scopes && { scopes }) }
  const answer = await server.client().post('/v1/api-keys', body, { token: owner.token })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.key
}
