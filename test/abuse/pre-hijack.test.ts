import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn } from '../support/attacks.ts'
import type { Client } from '../support/browser.ts'
import { inviteByHand, inviteByMail, membershipsOf } from '../support/invitees.ts'
import { administrator, PASSWORD, signUpBody } from '../support/people.ts'
import { onBothEngines } from '../support/postern.ts'
import { assertSignedIn, begin, useSocial, vouched } from '../support/social.ts'

const password = 'wicked horse 6 battery'

onBothEngines('an address that somebody else began with', (engine) => {
  const { server } = useSocial(engine)

  it('4: is not theirs by a click of the owner who expects a mail', async () => {
    const { postern } = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const [owner, stranger] = [postern.client(), postern.client()]
    await owner.post('/v1/auth/sign-up/email', signUpBody(email))
    const own = (await postern.mailbox.next(email)).token
    await stranger.post('/v1/auth/sign-up/email', signUpBody(email, { password }))
    const foreign = (await postern.mailbox.next(email)).token
    const confirm = (client: Client, body: object) => client.post('/v1/auth/verify-email', body)
    // The owner presses the newest link, in the browser that signed up and in another; so does a scanner.
    for (const client of [owner, postern.client()]) {
      assertError(await confirm(client, { token: foreign }), 'MISSING_REQUIRED_FIELD', {
        field: 'password',
        reason: 'another_browser',
      })
      assertError(await confirm(client, { token: foreign, password: PASSWORD }), 'VALIDATION_FAILED', {
        field: 'password',
        value: '[redacted]',
      })
    }
    assert.deepEqual(await membershipsOf(postern, email), [])
    assertError(await signIn(stranger, email, password), 'UNAUTHORIZED')
    // The stranger took nothing away: the link that the owner waits for works, and ends the other.
    const entered = await confirm(owner, { token: own })
    assert.equal(entered.status, 200, entered.text)
    assertError(await confirm(stranger, { token: foreign }), 'VALIDATION_FAILED', { field: 'token' })
    assertError(await signIn(stranger, email, password), 'UNAUTHORIZED')
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
  })

  it('4: of two sign-ups in one browser the later one counts', async () => {
    const { postern } = await server()
    const { email } = await inviteByMail(postern, await administrator(postern))
    const owner = postern.client()
    await owner.post('/v1/auth/sign-up/email', signUpBody(email, { password }))
    const earlier = (await postern.mailbox.next(email)).token
    await owner.post('/v1/auth/sign-up/email', signUpBody(email))
    const later = (await postern.mailbox.next(email)).token
    assertError(await owner.post('/v1/auth/verify-email', { token: earlier }), 'VALIDATION_FAILED', {
      field: 'token',
    })
    assert.equal((await owner.post('/v1/auth/verify-email', { token: later })).status, 200)
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    assertError(await signIn(postern.client(), email, password), 'UNAUTHORIZED')
  })

  it('4: belongs to its owner, who comes by Google', async () => {
    const { postern, google } = await server()
    const [ada, eve] = [await administrator(postern), await administrator(postern)]
    // One stranger began without a link, another got in with the link that her own organization was handed.
    const begun = await inviteByMail(postern, ada)
    await postern.client().post('/v1/auth/sign-up/email', signUpBody(begun.email, { password }))
    const confirmation = (await postern.mailbox.next(begun.email)).token
    const taken = await inviteByMail(postern, ada)
    const { token } = await inviteByHand(postern, eve, taken.email)
    const attacker = postern.client()
    await attacker.post(
      '/v1/auth/sign-up/email',
      signUpBody(taken.email, { password, invitationToken: token }),
    )
    for (const { email } of [begun, taken]) {
      google.claims = vouched(email)
      const owner = postern.client()
      const user = await assertSignedIn(
        owner,
        await owner.get(google.authorize(await begin(owner, 'google'))),
      )
      assert.equal(user.emailVerified, true)
      assert.ok((await membershipsOf(postern, email)).includes(ada.organizationId))
      assertError(await signIn(postern.client(), email, password), 'UNAUTHORIZED')
    }
    assertError(await attacker.get('/v1/auth/session'), 'UNAUTHORIZED')
    assertError(
      await postern.client().post('/v1/auth/verify-email', { token: confirmation }),
      'VALIDATION_FAILED',
      { field: 'token' },
    )
  })
})
