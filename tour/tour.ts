import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { Webhook } from 'standardwebhooks'
import { SECOND } from '#src/core/clock.ts'
import { accountIsConnected } from './connection.ts'
import type { Visitor } from './door.ts'
import { passkeyOpens } from './passkey.ts'
import { type Running, verifySignature } from './peers.ts'
import { perform, type Stage } from './perform.ts'
import { oneKeyServesAll } from './platform.ts'
import * as step from './steps.ts'
import { agentAnswers } from './work.ts'

/** `npm run tour`: what Postern does, shown and verified from outside on a real server. */
process.exitCode = await perform(async (stage) => {
  const { server, adasInvitation } = await operatorInvites(stage)
  const ada = await administratorSignsUp(stage, adasInvitation)
  await onlyTheInvitedGetIn(stage, ada)
  const { robot, webhookId } = await eventIsDelivered(stage, ada)
  const delivery = await failureIsRetried(stage, robot, webhookId)
  await oneKeyServesAll(stage, ada)
  await creditsAreBought(stage, ada)
  await accountIsConnected(stage, ada)
  await agentAnswers(stage, ada, webhookId)
  await passkeyOpens(stage, ada)
  await nothingIsLost(stage, { server, ada, robot, delivery })
})

async function operatorInvites(stage: Stage) {
  const { print, peers, door } = stage
  print.chapter(
    'The operator lets the first administrator in',
    'Nobody can register, and there is no default password: a command invites the first person.',
  )
  const { PORT, SMTP_URL } = peers.settings
  const server = await step.startServer(stage, { PORT, SMTP_URL, DATA_DIR: 'an empty folder' })
  const { body } = await door.call(door.visitor('anybody'), 'GET /readyz', { status: 200 })
  print.check('The server takes requests: its database and its deliveries are well', body.status, 'ok')

  const who = ['--organization', 'Acme', '--email', 'ada@acme.test', '--role', 'administrator']
  const invited = await door.command('invite', ...who, '--json')
  const { link, token } = await step.mailTo(stage, 'ada@acme.test')
  print.check(
    'The invitation was mailed: it has the very link that the command printed',
    link,
    invited.acceptUrl,
  )
  return { server, adasInvitation: token }
}

async function administratorSignsUp(stage: Stage, invitationToken: string): Promise<Visitor> {
  const { print, door } = stage
  print.chapter(
    'Ada signs up, and gets a session and a JWT',
    'The token of the mail proves the mailbox. A browser keeps the session, a program sends the JWT.',
  )
  const ada = door.visitor('Ada')
  const adaTypes = { name: 'Ada Lovelace', email: 'ada@acme.test', invitationToken }
  const { body, headers } = await step.signUp(stage, ada, adaTypes, { status: 201, show: step.onlyUser })
  const { status, organizations } = body.user
  print.check(
    'Her account is active at once: the token proves that she reads mail to that address',
    status,
    'active',
  )
  print.check(
    'She is an administrator of Acme: that is what she was invited as',
    organizations[0].role,
    'administrator',
  )
  const [cookie = ''] = headers.getSetCookie()
  print.check('No script can steal the session: its cookie is HttpOnly', cookie.includes('; HttpOnly'), true)

  const { token, claims } = await step.takeJwt(stage, ada)
  print.shown('header', decodeProtectedHeader(token))
  print.shown('claims', claims)
  const jwks = await door.call(door.visitor('anybody'), 'GET /.well-known/jwks.json', {
    status: 200,
    show: ({ keys }) => ({ keys: keys.map(step.only('kty', 'crv', 'alg', 'use', 'kid')) }),
  })
  const issuer = String(claims.iss)
  const verified = await jwtVerify(token, createLocalJWKSet(jwks.body), { issuer, algorithms: ['ES256'] })
  print.check(
    'The JWT is genuine: jose verifies its signature with the published key',
    verified.payload,
    claims,
  )
  const lifetime = Number(claims.exp) - Number(claims.iat)
  print.check('The JWT is short-lived: it expires 60 minutes after it was issued', lifetime, 3_600)
  return ada
}

async function onlyTheInvitedGetIn(stage: Stage, ada: Visitor): Promise<void> {
  const { print, door } = stage
  print.chapter(
    'Grace is invited, a stranger is not',
    'Administrators invite, members do not; whoever nobody invited stays outside.',
  )
  await door.call(ada, 'POST /v1/invitations', {
    body: { email: 'grace@acme.test', role: 'member' },
    status: 201,
    show: step.only('id', 'role', 'status'),
  })
  const { token: invitationToken } = await step.mailTo(stage, 'grace@acme.test')
  const grace = door.visitor('Grace')
  const graceTypes = { name: 'Grace Hopper', email: 'grace@acme.test', invitationToken }
  await step.signUp(stage, grace, graceTypes, { status: 201, show: step.onlyUser })
  const { claims } = await step.takeJwt(stage, grace)
  print.check('Grace is in: her JWT says member', claims.role, 'member')

  const refused = { status: 403, show: step.onlyError }
  const body = { email: 'friend@acme.test' }
  const { error } = (await door.call(grace, 'POST /v1/invitations', { body, ...refused })).body
  print.check(
    'A member cannot invite: FORBIDDEN, an administrator is required',
    [error.code, error.details.reason],
    ['FORBIDDEN', 'administrator_required'],
  )
  const strangerTypes = { name: 'Mal Lory', email: 'mal@lory.test' }
  const turnedAway = await step.signUp(stage, door.visitor('a stranger'), strangerTypes, refused)
  const { code, details } = turnedAway.body.error
  print.check(
    'A stranger cannot sign up: FORBIDDEN, an invitation is required',
    [code, details.reason],
    ['FORBIDDEN', 'invitation_required'],
  )
}

async function eventIsDelivered(stage: Stage, ada: Visitor) {
  const { print, peers, door } = stage
  print.chapter(
    'An event is published, signed and delivered',
    'A machine publishes with an API key. The receiver believes only what is signed with its secret.',
  )
  const apiKey = await door.call(ada, 'POST /v1/api-keys', {
    body: { name: 'robot', role: 'administrator' },
    status: 201,
    show: step.only('id', 'name', 'role', 'key'),
  })
  const robot: Visitor = { ...door.visitor('a robot'), bearer: { kind: 'API key', token: apiKey.body.key } }
  const webhook = await door.call(ada, 'POST /v1/webhooks', {
    body: { url: peers.receiver.url, events: ['agent.run.completed'] },
    status: 201,
    show: step.only('id', 'url', 'status', 'secret'),
  })
  const { id: webhookId, secret } = webhook.body as { id: string; secret: string }
  peers.receiver.secret = secret
  const { id, type, createdAt } = await step.publish(stage, robot)

  const { body, headers, event, path, status } = await peers.receiver.call(1)
  print.peer('the receiver is called', `POST ${path}; it answers ${status}`)
  for (const name of ['x-service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    print.shown(name, String(headers[name]))
  }
  print.shown('body', event)
  const signature = String(headers['x-service-signature'])
  const isRight = (bytes: Buffer) => verifySignature(bytes, signature, secret)
  print.check('X-Service-Signature is right: it is the HMAC-SHA256 of the body', isRight(body), true)
  const forged = Buffer.from(body.toString().replace('succeeded', 'succeedeD'))
  print.check('It fits this body alone: with one letter changed it is wrong', isRight(forged), false)
  print.check(
    'The Standard Webhooks headers are right: the official library accepts the same call',
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>),
    event,
  )
  print.check('The envelope is whole: id, type, time and data are those of the published event', event, {
    ...{ id, type, createdAt },
    data: step.RUN,
  })
  return { robot, webhookId }
}

async function failureIsRetried(stage: Stage, robot: Visitor, webhookId: string) {
  const { print, peers, door } = stage
  print.chapter(
    'The receiver fails twice, and recovers',
    'What fails is tried again after 1 s, 5 s, 30 s, 5 min, 30 min and so on, for 24 hours.',
  )
  peers.receiver.failures = 2
  await step.publish(stage, robot)
  const first = await peers.receiver.call(2)
  step.showAttempt(stage, first)
  const second = await print.waiting('waiting 1 s for the first retry', peers.receiver.call(3))
  step.showAttempt(stage, second)
  const third = await print.waiting('waiting 5 s for the second retry', peers.receiver.call(4))
  step.showAttempt(stage, third)
  print.checkWait('The first retry was on time, 1 s after the failure', second.at - first.at, SECOND)
  print.checkWait('The second retry was on time, 5 s after the failure', third.at - second.at, 5 * SECOND)
  const eventIds = new Set([first, second, third].map(({ event }) => event.id))
  print.check('A receiver can tell a repeat: each attempt carries the same event id', eventIds.size, 1)

  const list = await door.call(robot, `GET /v1/webhooks/${webhookId}/deliveries?limit=1`, {
    status: 200,
    until: ({ data }) => data[0].status !== 'pending',
    show: ({ data }) => ({ data: data.map(step.only('id', 'status', 'attemptCount')) }),
  })
  const delivery = await door.call(robot, `GET /v1/deliveries/${list.body.data[0].id}`, {
    status: 200,
    show: step.onlyAttempts,
  })
  print.check(
    'Nothing is hidden: the record has all three attempts and what they were answered',
    delivery.body.attempts.map(({ statusCode }: { statusCode: number }) => statusCode),
    [503, 503, 204],
  )
  return delivery.body as { id: string }
}

async function creditsAreBought(stage: Stage, ada: Visitor): Promise<void> {
  const { print, door } = stage
  print.chapter(
    'Ada buys credits',
    'Credits pay for what costs something. A plan brings some each month; more can be bought.',
  )
  const show = step.only('plan', 'balance', 'cycleCredits', 'purchasedCredits')
  const before = await door.call(ada, 'GET /v1/billing/balance', { status: 200, show })
  print.check('The plan has brought its credits for this month', before.body.balance, 100_000)
  const { body } = await door.call(ada, 'POST /v1/billing/checkout', {
    body: { credits: 1_000 },
    status: 200,
  })
  const settled = await door.command('credits', '--settle', body.checkoutId, '--json')
  print.check('The operator has the money and settles: the checkout is paid', settled.status, 'paid')
  const after = await door.call(ada, 'GET /v1/billing/balance', { status: 200, show })
  print.check(
    'Her credits are there: 1,000 that stay until they are spent',
    after.body.purchasedCredits,
    1_000,
  )
  const ledger = await door.call(ada, 'GET /v1/billing/ledger', {
    status: 200,
    show: ({ data }) => ({ data: data.map(step.only('kind', 'amount', 'balance')) }),
  })
  const sum = ledger.body.data.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
  print.check('Nothing is hidden: the balance is the sum of the ledger', sum, after.body.balance)
}

async function nothingIsLost(
  stage: Stage,
  made: { server: Running; ada: Visitor; robot: Visitor; delivery: { id: string } },
): Promise<void> {
  const { print, peers, door } = stage
  const { server, ada, robot, delivery } = made
  print.chapter(
    'Postern is stopped, and started again',
    'One more event meets a failing receiver, so that something is left to do when the server ends.',
  )
  const received = peers.receiver.calls.length
  peers.receiver.failures = 1
  await step.publish(stage, robot)
  step.showAttempt(stage, await peers.receiver.call(received + 1))
  const { code, durationMs } = await server.stop()
  print.command(`kill -TERM ${server.pid}`)
  print.shown('ended', `exit code ${code}, after ${Math.round(durationMs)} ms`)
  print.check('The server ended in good order: its exit code is 0', code, 0)

  await step.startServer(stage, { DATA_DIR: 'the same folder' })
  const late = await print.waiting('waiting for the event that was left', peers.receiver.call(received + 2))
  step.showAttempt(stage, late)
  print.check('The event that was left has arrived: the delivery was on disk', late.status, 204)

  const bySession = { by: 'session', status: 200, show: step.onlyUser } as const
  const session = await door.call(ada, 'GET /v1/auth/session', bySession)
  const { email } = session.body.user
  print.check('Ada is still signed in: her cookie opens the same session', email, 'ada@acme.test')
  const record = await door.call(ada, `GET /v1/deliveries/${delivery.id}`, {
    status: 200,
    show: step.only('id', 'status', 'attemptCount'),
  })
  print.check(
    'The record of chapter 5 is unchanged, and the JWT of chapter 2 still opens it',
    record.body,
    delivery,
  )
}
