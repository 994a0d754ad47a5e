import assert from 'node:assert/strict'
import type { Answer, Client } from './browser.ts'
import type { Person } from './people.ts'
import type { Postern } from './postern.ts'

const WISH = { name: 'IT of Acme', purposes: ['domains', 'provider', 'directory'] }

/** Has an organization make a setup link. */
export async function makeSetupLink(
  postern: Postern,
  { token }: Pick<Person, 'token'>,
  more: object = {},
): Promise<{ id: string; secret: string; answer: Answer }> {
  const answer = await postern.client().post('/v1/setup-links', { ...WISH, ...more }, { token })
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.id, secret: new URL(answer.body.url).hash.slice(1), answer }
}

/** Opens one in a new browser, which has nothing but the link. */
export async function openSetupLink(
  postern: Postern,
  person: Pick<Person, 'token'>,
  more: object = {},
): Promise<{ id: string; secret: string; it: Client; opened: Answer }> {
  const { id, secret } = await makeSetupLink(postern, person, more)
  const it = postern.client()
  const opened = await it.post('/v1/setup/open', { token: secret })
  assert.equal(opened.status, 200, opened.text)
  return { id, secret, it, opened }
}

export const putProvider = (it: Client, body: object) =>
  it.call('/v1/setup/identity-provider', { method: 'PUT', body })

/** The actions of an actor in the audit log, newest first. */
export async function auditOf(postern: Postern, { token }: Pick<Person, 'token'>, actor: string) {
  const log = await postern.client().get(`/v1/audit-log?actor=${actor}&limit=100`, { token })
  return log.body.data.map(({ action }: { action: string }) => action) as string[]
}
