import assert from 'node:assert/strict'
import { fromIso, HOUR, MINUTE } from '#src/core/clock.ts'
import { LIFETIME, SIGN_IN_BACKOFF } from '#src/core/limits.ts'
import { nameOfConfirmation, PersonModel, type Purpose } from './access-model.ts'
import { mailAbout, signIn } from './attacks.ts'
import type { Answer, Client } from './browser.ts'
import { accountOf, requestsAreResolved, setStatus } from './invitees.ts'
import { newEmail, signUpBody } from './people.ts'
import type { Postern } from './postern.ts'

/** An organization, by the key of a machine that invites for it: a key outlives every jump of the clock. */
export interface Inviter {
  organizationId: string
  key: string
}

/** A person of a run: the address, its model, and every secret that reached the mailbox or the inviter. */
export interface Someone {
  email: string
  model: PersonModel
  invitations: string[]
  mailed: Record<Purpose, string[]>
  passwords: string[]
  /** The browser that asked for the newest sign-in link. */
  asker: Client | undefined
  /** Browsers that hold a session, as far as the model knows. */
  browsers: Set<Client>
}

const UNKNOWN = 'x'.repeat(43)

export function someone(): Someone {
  return {
    email: newEmail('model'),
    model: new PersonModel(),
    invitations: [UNKNOWN],
    mailed: { confirmation: [UNKNOWN], reset: [UNKNOWN], magic: [UNKNOWN] },
    passwords: ['unknown horse 0 battery'],
    asker: undefined,
    browsers: new Set(),
  }
}

/** The person of a step, and the index of the secret that it uses. */
interface Scene {
  postern: Postern
  inviters: Inviter[]
  one: Someone
  which: number
}

/** The newest most often, an older one now and then. */
function pick<T>(all: T[], which: number): T {
  return all.at(-1 - (which % all.length)) as T
}

/** The mail about something; the worker need not be waited for in real time. */
async function take({ postern, one }: Scene, subject: RegExp): Promise<string> {
  postern.clock.advance(200)
  return (await mailAbout(postern, one.email, subject)).token
}

function inviterOf({ inviters, which }: Scene): [number, Inviter] {
  const index = which % inviters.length
  return [index, inviters[index] as Inviter]
}

function newPassword(one: Someone): string {
  const password = `horse ${one.passwords.length} battery staple`
  one.passwords.push(password)
  return password
}

/** Compares an answer with the model's, and keeps a session that was begun. */
function expect(answer: Answer, expected: number, client?: Client, one?: Someone): void {
  assert.equal(answer.status, expected, answer.text)
  if (expected < 300 && client !== undefined) one?.browsers.add(client)
}

async function invite(scene: Scene, sendEmail: boolean): Promise<void> {
  const { postern, one } = scene
  const [organization, { key }] = inviterOf(scene)
  const may = one.model.mayInvite(organization, postern.clock.now())
  const answer = await postern
    .client()
    .post('/v1/invitations', { email: one.email, sendEmail }, { token: key })
  expect(answer, may ? 201 : 409)
  if (!may) return
  const { id, expiresAt, acceptUrl } = answer.body
  const token = sendEmail
    ? await take(scene, /invited/)
    : (new URL(acceptUrl).searchParams.get('token') ?? '')
  one.model.invite(organization, { id, token, mailed: sendEmail, expiresAt: fromIso(expiresAt) ?? 0 })
  one.invitations.push(token)
}

/** A newer link of an invitation takes the older one's place. */
function renewed({ one }: Scene, organization: number, token: string, expiresAt?: number): void {
  const invitation = one.model.invitations.get(organization)
  if (invitation === undefined) return
  one.model.invitations.set(organization, {
    ...invitation,
    token,
    mailed: true,
    expiresAt: expiresAt ?? invitation.expiresAt,
  })
  one.invitations.push(token)
}

/** Requests a mail. An invited address without an account gets the newest invitation again. */
async function ask(scene: Scene, purpose: 'reset' | 'magic', path: string, subject: RegExp): Promise<void> {
  const { postern, one } = scene
  const client = postern.client()
  expect(await client.post(path, { email: one.email }), 200)
  await requestsAreResolved(postern)
  const now = postern.clock.now()
  if (one.model.status === 'inactive') {
    // A link that was handed over stays valid.
    const mailed = one.model.pending(now).filter(([, { mailed }]) => mailed)
    const newest = mailed.sort(([, a], [, b]) => (a.id < b.id ? 1 : -1))[0]
    if (newest !== undefined) renewed(scene, newest[0], await take(scene, /invited/))
  }
  if (one.model.status !== 'active') return
  const token = await take(scene, subject)
  const lifetime = purpose === 'reset' ? LIFETIME.passwordReset : LIFETIME.magicLink
  one.model.live.set(purpose, { token, expiresAt: postern.clock.now() + lifetime })
  one.mailed[purpose].push(token)
  if (purpose === 'magic') one.asker = client
}

/** What can happen to a person. Each does it to the server, then to the model, and compares. */
export const ACTIONS = {
  invite: (scene: Scene) => invite(scene, true),
  inviteByHand: (scene: Scene) => invite(scene, false),

  async resend(scene: Scene) {
    const [organization, { key }] = inviterOf(scene)
    const invitation = scene.one.model.invitations.get(organization)
    if (invitation === undefined) return
    const path = `/v1/invitations/${invitation.id}/resend`
    const answer = await scene.postern.client().post(path, undefined, { token: key })
    expect(answer, 200)
    renewed(scene, organization, await take(scene, /invited/), fromIso(answer.body.expiresAt))
  },

  async revoke(scene: Scene) {
    const [organization, { key }] = inviterOf(scene)
    const invitation = scene.one.model.invitations.get(organization)
    if (invitation === undefined) return
    expect(await scene.postern.client().delete(`/v1/invitations/${invitation.id}`, { token: key }), 204)
    scene.one.model.invitations.delete(organization)
  },

  async signUp({ postern, one, which }: Scene) {
    const [client, password, token] = [postern.client(), newPassword(one), pick(one.invitations, which)]
    const takesOver = one.model.status === 'active'
    const mayEnter = one.model.signUp(token, password, postern.clock.now())
    if (mayEnter && takesOver) one.browsers.clear()
    const body = signUpBody(one.email, { password, invitationToken: token })
    expect(await client.post('/v1/auth/sign-up/email', body), mayEnter ? 201 : 403, client, one)
  },

  async signUpWithoutToken(scene: Scene) {
    const { postern, one } = scene
    const password = newPassword(one)
    const isMailed = one.model.mayConfirm(postern.clock.now())
    const body = signUpBody(one.email, { password })
    expect(await postern.client().post('/v1/auth/sign-up/email', body), isMailed ? 201 : 403)
    if (!isMailed) return
    const token = await take(scene, /Confirm/)
    const expiresAt = postern.clock.now() + LIFETIME.confirmation
    one.model.live.set(nameOfConfirmation(token), { token, expiresAt, password })
    one.mailed.confirmation.push(token)
  },

  async confirm({ postern, one, which }: Scene) {
    const [client, token] = [postern.client(), pick(one.mailed.confirmation, which)]
    const password = pick(one.passwords, which)
    const answer = await client.post('/v1/auth/verify-email', { token, password })
    const isTheSame = one.model.live.get(nameOfConfirmation(token))?.password === password
    const isLive = one.model.isLive('confirmation', token, postern.clock.now())
    const mayEnter = one.model.confirm(token, password, postern.clock.now())
    // A genuine token of an invitation that has ended does not count as a bad one.
    expect(answer, mayEnter ? 200 : isLive && isTheSame ? 403 : 400, client, one)
  },

  async signIn({ postern, one, which }: Scene) {
    // Waits out the throttling by earlier failures.
    postern.clock.advance(SIGN_IN_BACKOFF.longestWait)
    const [client, password] = [postern.client(), pick(one.passwords, which)]
    const mayEnter = one.model.signIn(password, postern.clock.now())
    expect(await signIn(client, one.email, password), mayEnter ? 200 : 401, client, one)
  },

  askReset: (scene: Scene) => ask(scene, 'reset', '/v1/auth/forget-password', /new password/),

  async reset({ postern, one, which }: Scene) {
    const token = pick(one.mailed.reset, which)
    const password = newPassword(one)
    const answer = await postern.client().post('/v1/auth/reset-password', { token, newPassword: password })
    const isReset = one.model.reset(token, password, postern.clock.now())
    expect(answer, isReset ? 200 : 400)
    if (isReset) one.browsers.clear()
  },

  askMagicLink: (scene: Scene) => ask(scene, 'magic', '/v1/auth/magic-link', /sign-in link/),

  async openMagicLink({ postern, one, which }: Scene) {
    const [client, token] = [one.asker ?? postern.client(), pick(one.mailed.magic, which)]
    const wasProven = one.model.verified
    const mayEnter = one.model.magicLink(token, postern.clock.now())
    if (mayEnter && !wasProven) one.browsers.clear()
    const answer = await client.post('/v1/auth/magic-link/verify', { token })
    expect(answer, mayEnter ? 200 : 401, client, one)
  },

  async strangerOpensMagicLink({ postern, one, which }: Scene) {
    const token = pick(one.mailed.magic, which)
    expect(await postern.client().post('/v1/auth/magic-link/verify', { token }), 401)
  },

  async removeMember(scene: Scene) {
    const { postern, one } = scene
    const [organization, { organizationId, key }] = inviterOf(scene)
    const account = await accountOf(postern, one.email)
    if (account === undefined) return
    const path = `/v1/organizations/${organizationId}/members/${account.id}`
    const isMember = one.model.memberships.delete(organization)
    expect(await postern.client().delete(path, { token: key }), isMember ? 204 : 404)
  },

  async disable({ postern, one }: Scene) {
    if (one.model.status !== 'active') return
    await setStatus(postern, one.email, 'disabled')
    one.model.status = 'disabled'
  },

  async enable({ postern, one }: Scene) {
    if (one.model.status !== 'disabled') return
    await setStatus(postern, one.email, 'active')
    one.model.status = 'active'
  },

  async minutesPass({ postern, which }: Scene) {
    postern.clock.advance((which + 1) * 3 * MINUTE)
  },

  async hoursPass({ postern, which }: Scene) {
    postern.clock.advance((which + 1) * 3 * HOUR)
  },
} satisfies Record<string, (scene: Scene) => Promise<void>>
