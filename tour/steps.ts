import { decodeJwt, type JWTPayload } from 'jose'
import type { Answer } from '../test/support/browser.ts'
import type { Mail } from '../test/support/mailbox.ts'
import { within } from './check.ts'
import type { Visitor, Wish } from './door.ts'
import type { Call, Running } from './peers.ts'
import type { Stage } from './perform.ts'

/** What the tour publishes. */
export const RUN = {
  agentId: 'agent_7',
  runId: 'run_42',
  status: 'succeeded',
  durationMs: 1_840,
  output: 'Done ✓',
}

/** Starts the server; `told` is what the visitor should know of its settings. */
export async function startServer({ print, peers }: Stage, reported: object): Promise<Running> {
  const server = await peers.start()
  print.command('postern start')
  print.shown('with', reported)
  print.shown('says', server.greeting)
  return server
}

/** The next mail to an address, as the mail server got it. */
export async function mailTo({ print, peers }: Stage, address: string): Promise<Mail> {
  const mail = await within(`a mail to ${address}`, peers.mailbox.next(address))
  print.mail(mail)
  return mail
}

export function signUp(
  { door }: Stage,
  visitor: Visitor,
  { name, email, invitationToken }: { name: string; email: string; invitationToken?: string },
  wish: Wish,
): Promise<Answer> {
  const [firstName, lastName] = name.split(' ')
  const token = invitationToken === undefined ? {} : { invitationToken }
  return door.call(visitor, 'POST /v1/auth/sign-up/email', {
    body: { firstName, lastName, email, password: 'correct horse 7 battery', termsAccepted: true, ...token },
    ...wish,
  })
}

/** Exchanges a visitor's session for a JWT, with which they call from now on. */
export async function takeJwt(
  { door }: Stage,
  visitor: Visitor,
): Promise<{ token: string; claims: JWTPayload }> {
  const { body } = await door.call(visitor, 'GET /v1/auth/token', { status: 200 })
  visitor.bearer = { kind: 'JWT', token: body.token }
  return { token: body.token, claims: decodeJwt(body.token) }
}

export async function publish(
  { door }: Stage,
  visitor: Visitor,
  headers: Record<string, string> = {},
): Promise<{ id: string; type: string; createdAt: string }> {
  const { body } = await door.call(visitor, 'POST /v1/events', {
    headers,
    body: { type: 'agent.run.completed', data: RUN },
    status: 202,
  })
  return body
}

/** An attempt as the receiver saw it. */
export function showAttempt({ print }: Stage, { headers, status }: Call): void {
  print.peer(
    `attempt ${headers['x-service-attempt']} reaches the receiver`,
    `event ${headers['webhook-id']}; it answers ${status}`,
  )
}

/** Those members of a body. */
export function only(...names: string[]): (body: Record<string, unknown>) => object {
  return (body) => Object.fromEntries(names.map((name) => [name, body[name]]))
}

export function onlyError({ error }: { error: Record<string, unknown> }): object {
  return { error: only('code', 'details')(error) }
}

export function onlyUser({ user }: { user: Record<string, unknown> }): object {
  const organizations = (user.organizations as Record<string, unknown>[]).map(only('name', 'role'))
  return { user: { ...only('id', 'email', 'status')(user), organizations } }
}

export function onlyAttempts({ attempts }: { attempts: Record<string, unknown>[] }): object {
  return { attempts: attempts.map(only('number', 'outcome', 'statusCode')) }
}
