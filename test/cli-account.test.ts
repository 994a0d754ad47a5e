import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY } from '#src/core/clock.ts'
import { administrator, member, newEmail, PASSWORD, signUp, tokenOf } from './support/people.ts'
import { onBothEngines, postern, testOnOneEngineByDay, usePostern } from './support/postern.ts'

onBothEngines('postern account', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('disables, which ends sessions and tokens, and enables again', async () => {
    const running = await server()
    const admin = await administrator(running)
    const person = await member(running, admin)
    const disabled = await postern(running, 'account', '--email', person.email, '--disable')
    assert.equal(disabled.code, 0, disabled.err)
    assert.match(disabled.out, /is disabled and signed out/)
    running.clock.advance(6_000)
    assert.equal((await person.client.get('/v1/auth/session')).status, 401)
    assert.equal((await running.client().get('/v1/organizations', { token: person.token })).status, 401)
    const signIn = () =>
      running.client().post('/v1/auth/sign-in/email', { email: person.email, password: PASSWORD })
    assert.equal((await signIn()).status, 401)
    assert.match(
      (await postern(running, 'account', '--email', person.email, '--disable')).out,
      /is disabled already/,
    )

    assert.equal((await postern(running, 'account', '--email', person.email, '--enable')).code, 0)
    running.clock.advance(DAY)
    const repeated = await signIn()
    assert.equal(repeated.status, 200)
    assert.equal(repeated.body.user.organizations.length, 1)
    const log = await running
      .client()
      .get('/v1/audit-log?limit=100', { token: await tokenOf(admin.client, admin.organizationId) })
    const actions = log.body.data.map(({ action }: { action: string }) => action)
    for (const action of ['account.disabled', 'account.enabled']) assert.ok(actions.includes(action), action)
  })

  it('deletes; invited again, the address is somebody new with no old membership', async () => {
    const running = await server()
    const [admin, other] = [await administrator(running), await administrator(running)]
    const person = await member(running, admin)
    const deleted = await postern(running, 'account', '--email', person.email, '--delete')
    assert.equal(deleted.code, 0, deleted.err)
    running.clock.advance(6_000)
    assert.equal((await person.client.get('/v1/auth/session')).status, 401)
    const members = await running
      .client()
      .get(`/v1/organizations/${admin.organizationId}/members`, { token: admin.token })
    assert.deepEqual(
      members.body.data.map(({ email }: { email: string }) => email),
      [admin.email],
    )
    const log = await running.client().get('/v1/audit-log?action=account.deleted', { token: admin.token })
    assert.equal(log.body.data[0].targetId, person.accountId)
    const events = await running.app.database.db
      .selectFrom('event')
      .select('type')
      .where('type', '=', 'member.removed')
      .execute()
    assert.equal(events.length, 1)

    await running.client().post('/v1/invitations', { email: person.email }, { token: other.token })
    const mail = await running.mailbox.next(person.email)
    const anew = await signUp(running, {
      email: person.email,
      invitationToken: mail.token,
      organizationId: other.organizationId,
    })
    assert.notEqual(anew.accountId, person.accountId)
    const { body } = await anew.client.get('/v1/auth/session')
    assert.deepEqual(
      body.user.organizations.map(({ id }: { id: string }) => id),
      [other.organizationId],
    )
  })

  for (const verb of ['--disable', '--delete']) {
    it(`${verb} keeps the last administrator of an organization, unless forced`, async () => {
      const running = await server()
      const admin = await administrator(running)
      const refused = await postern(running, 'account', '--email', admin.email, verb)
      assert.equal(refused.code, 1)
      assert.match(refused.err, /is the last administrator of an organization\. .* or add --force\.$/)
      assert.equal((await admin.client.get('/v1/auth/session')).status, 200)
      assert.equal((await postern(running, 'account', '--email', admin.email, verb, '--force')).code, 0)
      assert.equal((await admin.client.get('/v1/auth/session')).status, 401)
    })
  }

  test('counts only administrators who can sign in', async () => {
    const running = await server()
    const admin = await administrator(running)
    const second = await member(running, admin, 'administrator')
    assert.equal((await postern(running, 'account', '--email', second.email, '--disable')).code, 0)
    assert.equal((await postern(running, 'account', '--email', admin.email, '--delete')).code, 1)
    await postern(running, 'account', '--email', second.email, '--enable')
    assert.equal((await postern(running, 'account', '--email', admin.email, '--delete')).code, 0)
  })

  test('says of an unknown or unfinished account what it is', async () => {
    const running = await server()
    const nobody = await postern(running, 'account', '--email', 'nobody@acme.test', '--delete')
    assert.deepEqual([nobody.code, nobody.err], [1, 'There is no account nobody@acme.test.'])
    const email = newEmail('invited')
    await postern(running, 'invite', '--organization', newEmail('Org'), '--email', email)
    const unfinished = await postern(running, 'account', '--email', email, '--enable')
    assert.equal(unfinished.code, 1)
    assert.match(unfinished.err, /has not signed up yet/)
  })
})
