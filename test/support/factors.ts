import assert from 'node:assert/strict'
import { totpCode } from '#src/access/factors/totp.ts'
import { SECOND } from '#src/core/clock.ts'
import type { Answer, Client } from './browser.ts'
import { PASSWORD, type Person } from './people.ts'
import type { Postern } from './postern.ts'

/** An authenticator app that a person has enrolled. */
export interface Authenticator {
  factorId: string
  secret: string
  /** Shown at the enrolment of the first factor. */
  recoveryCodes: string[]
  /** A code that was not used: the clock moves to the next time step first. */
  code: () => string
}

/** Begins to enrol an authenticator app. */
export async function beginTotp({ client }: Pick<Person, 'client'>, name = 'Phone'): Promise<Answer['body']> {
  const begun = await client.post('/v1/auth/factors/totp', { name })
  assert.equal(begun.status, 201, begun.text)
  return begun.body
}

/** Enrols an authenticator app in a session that has just begun. */
export async function enrolTotp(
  postern: Postern,
  person: Pick<Person, 'client'>,
  name = 'Phone',
): Promise<Authenticator> {
  const { id, secret } = await beginTotp(person, name)
  const code = () => {
    postern.clock.advance(30 * SECOND)
    return totpCode(secret, postern.clock.now())
  }
  const confirmed = await person.client.post(`/v1/auth/factors/${id}/confirm`, { code: code() })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { factorId: id, secret, recoveryCodes: confirmed.body.recoveryCodes ?? [], code }
}

/** Shows the password of a person in a new browser, where a second factor is then asked for. */
export async function signInHalf(postern: Postern, email: string): Promise<Client> {
  const client = postern.client()
  const answer = await client.post('/v1/auth/sign-in/email', { email, password: PASSWORD })
  assertAsked(client, answer)
  return client
}

/** The door asks for a second factor, tells nothing of the account, and has begun no session. */
export function assertAsked(client: Client, answer: Answer): void {
  assert.equal(answer.status, 401, answer.text)
  assert.equal(answer.body.error.code, 'UNAUTHORIZED')
  const { reason, methods, expiresAt } = answer.body.error.details
  assert.equal(reason, 'second_factor_required')
  assert.ok(methods.length > 0, answer.text)
  assert.ok(expiresAt)
  assert.equal(answer.body.user, undefined)
  assertHalfIn(client)
}

/** The browser has a sign-in that waits, and no session. */
export function assertHalfIn(client: Client): void {
  assert.equal(client.cookies.has('session'), false, 'a session cookie was set')
  assert.match(client.cookies.get('pending') ?? '', /^[\w-]{43}$/)
}

/** Shows a factor from a request of its own, with the cookies that a browser has now. */
export function showFrom(postern: Postern, from: Client, body: object): Promise<Answer> {
  const client = postern.client()
  for (const [name, value] of from.cookies) client.cookies.set(name, value)
  return client.post('/v1/auth/sign-in/second-factor', body)
}
