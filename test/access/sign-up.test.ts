import assert from 'node:assert/strict'
import { it } from 'node:test'
import { administrator, newEmail, PASSWORD, signUpBody } from '../support/people.ts'
import { onBothEngines, usePostern } from '../support/postern.ts'

onBothEngines('sign-up', (engine) => {
  const server = usePostern(engine)

  it('completes at once with the invitation token of the mail', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const email = newEmail()
    const invited = await postern.client().post('/v1/invitations', { email }, { token: admin.token })
    assert.equal(invited.status, 201)
    assert.equal(invited.body.status, 'pending')
    const { token } = await postern.mailbox.next(email)
    const client = postern.client()
    const answer = await client.post('/v1/auth/sign-up/email', signUpBody(email, { invitationToken: token }))
    assert.equal(answer.status, 201)
    assert.equal(answer.body.user.status, 'active')
    assert.equal(answer.body.emailVerificationRequired, false)
    assert.deepEqual(
      answer.body.user.organizations.map(({ id, role }: { id: string; role: string }) => ({ id, role })),
      [{ id: admin.organizationId, role: 'member' }],
    )
    const signIn = await postern.client().post('/v1/auth/sign-in/email', { email, password: PASSWORD })
    assert.equal(signIn.status, 200)
  })

  it('without an invitation is refused with FORBIDDEN invitation_required', async () => {
    const postern = await server()
    const answer = await postern.client().post('/v1/auth/sign-up/email', signUpBody(newEmail('stranger')))
    assert.equal(answer.status, 403)
    assert.equal(answer.body.error.code, 'FORBIDDEN')
    assert.deepEqual(answer.body.error.details, { reason: 'invitation_required' })
  })
})
