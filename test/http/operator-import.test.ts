import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, signIn } from '../support/attacks.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { OPERATOR_TOKEN, onBothEngines, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const PATH = '/v1/operator/accounts/import'
/** Of `PASSWORD`, by libxcrypt. */
const BCRYPT = '$2b$05$abcdefghijklmnopqrstuuYVlArImcY9t8iZB05TaOK0bU6e/ht.G'

onBothEngines("the import of accounts by the operator's API", (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('makes members who sign in with their passwords, says what was refused and why, and changes nothing twice', async () => {
    const postern = await server()
    const { post } = callsOf(postern, OPERATOR_TOKEN)
    const { organizationId, email: known, token } = await administrator(postern)
    const organizations = [{ organization: organizationId, role: 'member' }]
    const email = newEmail('imported')
    const good = { email, emailVerified: true, passwordHash: BCRYPT, organizations }
    const accounts = [
      { email: 'no address', organizations },
      good,
      { email: newEmail('stranger'), organizations: [{ organization: 'ext:none', role: 'member' }] },
      { ...good, email: newEmail('odd'), isAdministrator: true },
      { ...good, email: known, organizations },
    ]
    const dry = await post(PATH, { accounts, dryRun: true })
    assert.equal(dry.status, 200, dry.text)
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 401)
    const done = await post(PATH, { accounts })
    assert.deepEqual(done.body, dry.body)
    const { imported, unchanged, refused, refusals } = done.body
    assert.deepEqual([imported, unchanged, refused], [1, 1, 3], done.text)
    assert.deepEqual(
      refusals.map(({ index }: { index: number }) => index),
      [0, 2, 3],
    )
    assert.equal(refusals[1].reason, 'no_such_organization')
    assert.ok(!done.text.includes(BCRYPT) && !postern.log().includes(BCRYPT))
    assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    const again = await post(PATH, { accounts: [good] })
    assert.deepEqual([again.body.imported, again.body.unchanged], [0, 1])
    const log = await callsOf(postern, token).get('/v1/audit-log?action=account.imported')
    assert.equal(log.body.data.length, 1)
    assertError(await callsOf(postern, token).post(PATH, { accounts }), 'UNAUTHORIZED')
  })

  test('takes a thousand at once, and no more', async () => {
    const postern = await server()
    const { post } = callsOf(postern, OPERATOR_TOKEN)
    const { organizationId } = await administrator(postern)
    const organizations = [{ organization: organizationId, role: 'member' }]
    const accounts = Array.from({ length: 1_000 }, () => ({ email: newEmail('many'), organizations }))
    assertError(
      await post(PATH, { accounts: [...accounts, { email: newEmail(), organizations }] }),
      'VALIDATION_FAILED',
    )
    // Of one address in one request the first is made.
    const done = await post(PATH, { accounts: [...accounts.slice(0, 999), accounts[0]] })
    assert.deepEqual([done.body.imported, done.body.unchanged, done.body.refused], [999, 1, 0], done.text)
  })
})
