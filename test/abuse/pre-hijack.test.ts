import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn } from '../support/attacks.ts'
import { inviteByHand, inviteByMail, membershipsOf } from '../support/invitees.ts'
import { administrator, signUpBody } from '../support/people.ts'
import { onBothEngines } from '../support/postern.ts'
import { assertSignedIn, begin, useSocial, vouched } from '../support/social.ts'

const password = 'wicked horse 6 battery'

onBothEngines('an address that somebody else began with', (engine) => {
  const { server } = useSocial(engine)

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
