import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { LIFETIME, RATES } from '#src/core/limits.ts'
import { askMagicLink, askReset, assertError, atOnce, MANY, mailAbout, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { enrolTotp } from '../support/factors.ts'
import { holdRows, inOrder } from '../support/held-rows.ts'
import {
  accountOf,
  auditOf,
  inviteByMail,
  mailsTo,
  membershipsOf,
  requestsAreResolved,
  sessionsOf,
} from '../support/invitees.ts'
import { administrator, newEmail, PASSWORD, type Person, signUpBody, tokenOf } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  postern as runPostern,
  testOnOneEngineByDay,
  usePostern,
} from '../support/postern.ts'
import { useSocial, vouched } from '../support/social.ts'
import { callsOf } from '../support/webhook-calls.ts'

const PATH = '/v1/auth/change-email'

interface Links {
  to: string
  /** In the mail to the new address. */
  proof: string
  /** In the mail to the present address. */
  approval: string
}

const ask = (client: Client, newEmail: string, more: object = {}) => client.post(PATH, { newEmail, ...more })
const agree = (client: Client, token: string) => client.post(`${PATH}/confirm`, { token })
const refuse = (client: Client, token: string) => client.post(`${PATH}/refuse`, { token })

/** Asks for a change, and takes both mails. */
async function begin(postern: Postern, person: Pick<Person, 'client' | 'email'>, to = newEmail('new')) {
  const asked = await ask(person.client, to)
  assert.deepEqual([asked.status, asked.body], [200, { status: true }], asked.text)
  return linksTo(postern, person, to)
}

async function linksTo(postern: Postern, { email }: Pick<Person, 'email'>, to: string): Promise<Links> {
  const approval = await mailAbout(postern, email, /^Approve the change/)
  assert.match(approval.link, /\/change-email\?token=/)
  const proof = await mailAbout(postern, to, /^Confirm your new/)
  return { to, proof: proof.token, approval: approval.token }
}

/** Asks for a change, and approves it from the present mailbox only. */
async function approved(postern: Postern, person: Pick<Person, 'client' | 'email'>, to?: string) {
  const links = await begin(postern, person, to)
  assert.equal((await agree(person.client, links.approval)).body.waitsFor, 'new')
  return links
}

const badToken = { field: 'token' }

onBothEngines("a change of one's address", (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('takes both mailboxes, and then ends every other way in and tells the old one', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const other = postern.client()
    assert.equal((await signIn(other, person.email, PASSWORD)).status, 200)
    const link = await askMagicLink(postern, person.email)
    const reset = await askReset(postern, person.email)
    const { to, proof, approval } = await begin(postern, person)
    const waits = { newEmail: to, askedBy: 'person', isApproved: false, isConfirmed: false }
    const { expiresAt, ...change } = (await person.client.get(PATH)).body.change
    assert.deepEqual(change, waits)
    assert.ok(expiresAt)

    // Neither link agrees for a stranger who reads it or a scanner that presses its button, and none is used by reading.
    const stranger = await administrator(postern)
    for (const client of [postern.client(), stranger.client])
      for (const token of [proof, approval]) assertError(await agree(client, token), 'UNAUTHORIZED')
    for (const token of [proof, approval]) {
      assert.equal((await postern.client().get(`/change-email?token=${token}`)).status, 200)
      const head = await fetch(new URL(`/change-email?token=${token}`, postern.url), { method: 'HEAD' })
      assert.equal(head.status, 200)
    }
    assert.deepEqual((await agree(person.client, proof)).body, { status: 'waiting', waitsFor: 'present' })
    assertError(await agree(person.client, proof), 'VALIDATION_FAILED', badToken)
    assert.equal((await accountOf(postern, person.email))?.id, person.accountId)
    assert.equal((await person.client.get(PATH)).body.change.isConfirmed, true)

    assert.deepEqual((await agree(person.client, approval)).body, { status: 'changed', waitsFor: null })
    assertError(await agree(postern.client(), approval), 'VALIDATION_FAILED', badToken)
    assertError(await refuse(postern.client(), approval), 'VALIDATION_FAILED', badToken)
    const { user } = (await person.client.get('/v1/auth/session')).body
    assert.deepEqual([user.id, user.email, user.emailVerified], [person.accountId, to, true])
    assert.deepEqual((await person.client.get(PATH)).body, { change: null })
    assertError(await other.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(await link.client.post('/v1/auth/magic-link/verify', { token: link.token }), 'UNAUTHORIZED')
    const spent = { token: reset, newPassword: 'another horse 8 battery' }
    assertError(await postern.client().post('/v1/auth/reset-password', spent), 'VALIDATION_FAILED', badToken)
    assertError(await signIn(postern.client(), person.email, PASSWORD), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), to, PASSWORD)).status, 200)
    const notice = await mailAbout(postern, person.email, /address was changed/)
    assert.match(notice.text, /no longer signs you in/)
    const [requested, changed] = await Promise.all(
      ['account.email_change_requested', 'account.email_changed'].map((action) =>
        auditOf(postern, to, action),
      ),
    )
    assert.deepEqual([requested?.length, changed?.length], [1, 1])
    assert.deepEqual(JSON.parse(String(changed?.[0]?.details)), {
      ...{ from: person.email, to, by: 'person' },
      ...{ endedSessions: 1, unlinkedIdentities: 0 },
    })
    // The old address is free: a person who is invited to it gets another account.
    const invited = await inviteByMail(postern, stranger, person.email)
    const body = signUpBody(person.email, { invitationToken: invited.token })
    const joined = await postern.client().post('/v1/auth/sign-up/email', body)
    assert.equal(joined.status, 201, joined.text)
    assert.notEqual(joined.body.user.id, person.accountId)
  })

  it('may be agreed to in either order, and once', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { to, proof } = await approved(postern, person)
    const answers = await atOnce(MANY, () => agree(person.client, proof))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertError(answer, 'VALIDATION_FAILED', badToken)
    assert.equal((await accountOf(postern, to))?.id, person.accountId)
    assert.equal((await auditOf(postern, to, 'account.email_changed')).length, 1)
    const both = await begin(postern, { client: person.client, email: to })
    const halves = await Promise.all([agree(person.client, both.proof), agree(person.client, both.approval)])
    assert.deepEqual(halves.map(({ body }) => body.status).toSorted(), ['changed', 'waiting'])
    assert.equal((await accountOf(postern, both.to))?.id, person.accountId)
  })

  test('tells nobody whether an address has an account: answers and mails to the asker are the same', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const asked = await ask(person.client, other.email.toUpperCase())
    assert.deepEqual([asked.status, asked.body], [200, { status: true }])
    const { token } = await mailAbout(postern, person.email, /^Approve the change/)
    const told = await mailAbout(postern, other.email, /named for another account/)
    assert.doesNotMatch(told.text, /change-email/)
    const { change } = (await person.client.get(PATH)).body
    assert.deepEqual([change.newEmail, change.isApproved], [other.email, false])
    assert.deepEqual((await agree(person.client, token)).body, { status: 'waiting', waitsFor: 'new' })
    assert.equal((await person.client.get(PATH)).body.change.isApproved, true)
    assert.equal((await accountOf(postern, person.email))?.id, person.accountId)
    for (const [email, code] of [
      [person.email, 'VALIDATION_FAILED'],
      ['nobody', 'INVALID_EMAIL'],
    ] as const)
      assertError(await ask(person.client, email), code, { field: 'newEmail' })
    assertError(await ask(postern.client(), newEmail()), 'UNAUTHORIZED')
  })

  it('accepts invitations of the new address by its proof alone, and those of the old one before it is gone', async () => {
    const postern = await server()
    const [person, ada, eve] = [
      await administrator(postern),
      await administrator(postern),
      await administrator(postern),
    ]
    const to = newEmail('new')
    const invited = await inviteByMail(postern, ada, to)
    await inviteByMail(postern, eve, person.email)
    const { proof, approval } = await begin(postern, person, to)
    assert.equal((await agree(person.client, approval)).status, 200)
    assert.deepEqual(await membershipsOf(postern, person.email), [person.organizationId])
    assert.equal((await agree(person.client, proof)).body.status, 'changed')
    const all = [person, ada, eve].map(({ organizationId }) => organizationId).toSorted()
    assert.deepEqual((await membershipsOf(postern, to)).toSorted(), all)
    const one = await callsOf(postern, ada.token).get(`/v1/invitations/${invited.id}`)
    assert.deepEqual([one.body.status, one.body.email], ['accepted', to])
    const late = signUpBody(to, { invitationToken: invited.token })
    assertError(await postern.client().post('/v1/auth/sign-up/email', late), 'FORBIDDEN')
    assert.equal(await accountOf(postern, person.email), undefined)
  })

  it('is the first proof of a mailbox where there was none, and ends what was set up before it', async () => {
    const postern = await server()
    const [mallory, ada] = [await administrator(postern), await administrator(postern)]
    for (const by of ['operator', 'person']) {
      // The inviter keeps the link, and signs up with an address that is not theirs.
      const asked = { email: newEmail('victim'), role: 'administrator', sendEmail: false }
      const handed = await callsOf(postern, mallory.token).post('/v1/invitations', asked)
      const link = { invitationToken: new URL(handed.body.acceptUrl).searchParams.get('token') }
      const taken = postern.client()
      const signedUp = await taken.post('/v1/auth/sign-up/email', signUpBody(asked.email, link))
      assert.equal(signedUp.status, 201, signedUp.text)
      const { id } = signedUp.body.user
      const wish = { name: 'machine', role: 'administrator' }
      const { body: made } = await callsOf(postern, await tokenOf(taken)).post('/v1/api-keys', wish)
      assert.equal((await callsOf(postern, made.key).get('/v1/webhooks')).status, 200)
      await enrolTotp(postern, { client: taken })
      const to = newEmail('owner')
      await inviteByMail(postern, ada, to)
      if (by === 'operator') {
        const begun = `/v1/operator/accounts/${id}/email-change`
        assert.equal((await callsOf(postern, OPERATOR_TOKEN).post(begun, { newEmail: to })).status, 200)
        const { proof } = await linksTo(postern, asked, to)
        assert.equal((await agree(postern.client(), proof)).body.status, 'changed')
      } else {
        const { proof } = await approved(postern, { client: taken, email: asked.email }, to)
        assert.equal((await agree(taken, proof)).body.status, 'changed')
      }
      assertError(await signIn(postern.client(), to, PASSWORD), 'UNAUTHORIZED')
      assertError(await taken.get('/v1/auth/session'), 'UNAUTHORIZED')
      assertError(await callsOf(postern, made.key).get('/v1/webhooks'), 'UNAUTHORIZED')
      assert.equal((await accountOf(postern, to))?.second_factors, 0)
      // The owner of the mailbox comes in, with the invitations of the address.
      const magic = await askMagicLink(postern, to)
      const entered = await magic.client.post('/v1/auth/magic-link/verify', { token: magic.token })
      assert.equal(entered.body.user.id, id, entered.text)
      assert.ok((await membershipsOf(postern, to)).includes(ada.organizationId))
      assert.equal((await auditOf(postern, to, 'account.mailbox_proven')).length, 1)
    }
  })

  test('leaves an invitation that has expired with the old address, where it is sent again', async () => {
    const postern = await server()
    const [person, ada] = [await administrator(postern), await administrator(postern)]
    const invited = await inviteByMail(postern, ada, person.email)
    await postern.app.database.tx((tx) =>
      tx
        .updateTable('invitation')
        .set(({ ref }) => ({ expires_at: ref('created_at') }))
        .where('id', '=', invited.id as Id<'invitation'>)
        .execute(),
    )
    const { to, proof } = await approved(postern, person)
    assert.equal((await agree(person.client, proof)).body.status, 'changed')
    const again = await callsOf(postern, ada.token).post(`/v1/invitations/${invited.id}/resend`)
    assert.equal(again.status, 200, again.text)
    const { token } = await mailAbout(postern, person.email, /invite/i)
    const body = signUpBody(person.email, { invitationToken: token })
    const joined = await postern.client().post('/v1/auth/sign-up/email', body)
    assert.equal(joined.status, 201, joined.text)
    assert.notEqual(joined.body.user.id, person.accountId)
    assert.deepEqual(await membershipsOf(postern, person.email), [ada.organizationId])
    assert.deepEqual(await membershipsOf(postern, to), [person.organizationId])
  })

  it('ends when it is refused, taken back, asked for anew, too old, or when the password is changed', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const dead = async ({ proof, approval }: Links) => {
      assertError(await agree(person.client, proof), 'VALIDATION_FAILED', badToken)
      assertError(await agree(postern.client(), approval), 'VALIDATION_FAILED', badToken)
    }
    const refused = await begin(postern, person)
    assert.deepEqual((await refuse(postern.client(), refused.approval)).body, { status: true })
    await dead(refused)
    const disowned = await begin(postern, person)
    assert.equal((await refuse(postern.client(), disowned.proof)).status, 200)
    await dead(disowned)
    const taken = await begin(postern, person)
    assert.equal((await person.client.delete(PATH)).status, 204)
    assert.equal((await person.client.delete(PATH)).status, 204)
    await dead(taken)
    const first = await begin(postern, person)
    const second = await begin(postern, person)
    await dead(first)
    const passwords = { currentPassword: PASSWORD, newPassword: 'another horse 8 battery' }
    assert.equal((await person.client.post('/v1/auth/change-password', passwords)).status, 200)
    await dead(second)
    const old = await begin(postern, person)
    postern.clock.advance(LIFETIME.emailChange + SECOND)
    await dead(old)
    assert.deepEqual((await person.client.get(PATH)).body, { change: null })
    assert.equal((await auditOf(postern, person.email, 'account.email_change_refused')).length, 3)
    assert.equal((await accountOf(postern, person.email))?.id, person.accountId)
  })

  test('asks for the password or a recent sign-in, or for the second factor of who has one', async () => {
    const postern = await server()
    const person = await administrator(postern)
    postern.clock.advance(11 * MINUTE)
    const to = newEmail('new')
    assertError(await ask(person.client, to), 'FORBIDDEN', { reason: 'step_up_required', methods: [] })
    const wrong = { currentPassword: 'wrong horse 7 battery' }
    assertError(await ask(person.client, to, wrong), 'FORBIDDEN', { reason: 'wrong_password' })
    assert.equal((await ask(person.client, to, { currentPassword: PASSWORD })).status, 200)
    await linksTo(postern, person, to)
    const back = postern.client()
    assert.equal((await signIn(back, person.email, PASSWORD)).status, 200)
    const { code } = await enrolTotp(postern, { client: back })
    postern.clock.advance(11 * MINUTE)
    for (const more of [{}, { currentPassword: PASSWORD }])
      assertError(await ask(back, newEmail(), more), 'FORBIDDEN', { reason: 'step_up_required' })
    assert.equal((await back.post('/v1/auth/step-up', { code: code() })).status, 200)
    await begin(postern, { client: back, email: person.email })
    assert.ok((await auditOf(postern, person.email, 'sign_in.failed')).length > 0)
  })

  it('of which a stolen session asks dies with the session, also before its mails are written', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const thief = postern.client()
    assert.equal((await signIn(thief, person.email, PASSWORD)).status, 200)
    const { proof, approval } = await begin(postern, { client: thief, email: person.email })
    assert.equal((await person.client.delete('/v1/auth/sessions')).status, 200)
    assertError(await agree(thief, proof), 'VALIDATION_FAILED', badToken)
    assertError(await agree(thief, approval), 'VALIDATION_FAILED', badToken)
    assert.equal(await sessionsOf(postern, person.email), 1)
  })
})

onBothEngines('a change of address that is asked for', (engine) => {
  const LIMITS = JSON.stringify({ mailPerAddress: RATES.mailPerAddress })
  const server = usePostern(engine, { env: { LIMITS } })

  it('is begun by the operator for who has lost the mailbox, which may still refuse', async () => {
    const postern = await server()
    const [person, other] = [await administrator(postern), await administrator(postern)]
    const path = `/v1/operator/accounts/${person.accountId}/email-change`
    const change = (email: string) =>
      postern.client().post(path, { newEmail: email }, { token: OPERATOR_TOKEN })
    assertError(await change(other.email), 'DUPLICATE', { field: 'newEmail' })
    assertError(await change(person.email), 'VALIDATION_FAILED', { reason: 'same_address' })
    const first = newEmail('new')
    assert.equal((await change(first)).status, 200)
    const refused = await linksTo(postern, person, first)
    assert.equal((await refuse(postern.client(), refused.approval)).status, 200)
    assertError(await agree(postern.client(), refused.proof), 'VALIDATION_FAILED', badToken)
    const to = newEmail('new')
    const said = await runPostern(postern, 'account', '--email', person.email, '--change-email', to)
    assert.equal(said.code, 0, said.err)
    // The running server is told of the mails by its next look.
    const { proof } = await linksTo(postern, person, to)
    assert.equal((await person.client.get(PATH)).body.change.askedBy, 'operator')
    assert.deepEqual((await agree(postern.client(), proof)).body, { status: 'changed', waitsFor: null })
    assertError(await person.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), to, PASSWORD)).status, 200)
    for (const [email, why] of [
      [other.email, /account of its own/],
      [to, /address of the account already/],
    ] as const) {
      const twice = await runPostern(postern, 'account', '--email', to, '--change-email', email)
      assert.deepEqual([twice.code, why.test(twice.err)], [1, true], twice.err)
    }
  })

  it('counts its mails with all others to either mailbox', async () => {
    const postern = await server()
    const person = await administrator(postern)
    for (let count = 0; count < RATES.mailPerAddress.max; count += 1) {
      assert.equal((await ask(person.client, newEmail('new'))).status, 200)
      await requestsAreResolved(postern)
    }
    assertError(await ask(person.client, newEmail('new')), 'RATE_LIMITED')
    assert.equal((await mailsTo(postern, person.email)).length, RATES.mailPerAddress.max)
  })
})

onBothEngines('a change of address beside a provider', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const social = useSocial(engine)

  test('ends the sign-in that was linked by the old address', async () => {
    const { postern } = await social.server()
    const admin = await administrator(postern)
    const { email } = await inviteByMail(postern, admin)
    const google = vouched(email)
    const { client } = await social.come('google', google)
    assert.equal((await client.get('/v1/auth/session')).body.user?.email, email)
    const links = await begin(postern, { client, email })
    assert.equal((await agree(client, links.approval)).status, 200)
    assert.equal((await agree(client, links.proof)).body.status, 'changed')
    const back = await social.come('google', google)
    assertError(await back.client.get('/v1/auth/session'), 'UNAUTHORIZED')
    const [changed] = await auditOf(postern, links.to, 'account.email_changed')
    assert.equal(JSON.parse(String(changed?.details)).unlinkedIdentities, 1)
    // With the new address at the provider the person signs in, and is linked again.
    const again = await social.come('google', { ...google, email: links.to })
    assert.equal((await again.client.get('/v1/auth/session')).body.user?.email, links.to)
  })
})

// SQLite has one writer: there is nothing between the statements of a transaction.
describe('a change of address beside another transaction on PostgreSQL', () => {
  const server = usePostern('postgres')

  it('gives an address to one of two accounts that have proven it at once', async () => {
    const postern = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    const hers = await approved(postern, ada)
    const theirs = await approved(postern, eve, hers.to)
    const rows = await holdRows(postern, 'account', 'id in ($1, $2)', [ada.accountId, eve.accountId])
    const first = await rows.lineUp(() => agree(ada.client, hers.proof))
    const second = await rows.lineUp(() => agree(eve.client, theirs.proof))
    await rows.release()
    const answers = [await first.answer, await second.answer]
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    const lost = answers.find(({ status }) => status === 409)
    assert.ok(lost)
    assertError(lost, 'DUPLICATE', { field: 'newEmail' })
    const holder = await accountOf(postern, hers.to)
    const owner = answers[0]?.status === 200 ? ada : eve
    assert.equal(holder?.id, owner.accountId)
    const loser = owner === ada ? eve : ada
    assert.equal((await accountOf(postern, loser.email))?.id, loser.accountId)
  })

  it('and an invitation of the same address that is accepted at once: the one that comes first has it', async () => {
    const postern = await server()
    for (const signsUpFirst of [true, false]) {
      const [person, admin] = [await administrator(postern), await administrator(postern)]
      const invited = await inviteByMail(postern, admin, newEmail('new'))
      const { proof } = await approved(postern, person, invited.email)
      const holder = await accountOf(postern, invited.email)
      const body = signUpBody(invited.email, { invitationToken: invited.token })
      const signUp = () => postern.client().post('/v1/auth/sign-up/email', body)
      const change = () => agree(person.client, proof)
      const [first, second] = await inOrder(
        postern,
        'account',
        String(holder?.id),
        signsUpFirst ? [signUp, change] : [change, signUp],
      )
      assert.ok(first.status < 300, first.text)
      if (signsUpFirst) assertError(second, 'DUPLICATE', { field: 'newEmail' })
      else assertError(second, 'FORBIDDEN', { reason: 'invitation_required' })
      const owner = await accountOf(postern, invited.email)
      assert.equal(owner?.id, signsUpFirst ? holder?.id : person.accountId)
      assert.equal((await membershipsOf(postern, invited.email)).length, signsUpFirst ? 1 : 2)
    }
  })

  it('and a reset right before its last proof: the reset ends it', async () => {
    const postern = await server()
    const person = await administrator(postern)
    const { proof } = await approved(postern, person)
    const token = await askReset(postern, person.email)
    const newPassword = 'another horse 8 battery'
    const [reset, late] = await inOrder(postern, 'account', person.accountId, [
      () => postern.client().post('/v1/auth/reset-password', { token, newPassword }),
      () => agree(person.client, proof),
    ])
    assert.equal(reset.status, 200, reset.text)
    assertError(late, 'VALIDATION_FAILED', badToken)
    assert.equal((await accountOf(postern, person.email))?.id, person.accountId)
  })
})
