import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountOf, inviteByMail } from '../support/invitees.ts'
import { administrator, newEmail } from '../support/people.ts'
import { onBothEngines, testOnOneEngineByDay } from '../support/postern.ts'
import {
  assertSignedIn,
  EVIL_TENANT,
  identitiesOf,
  newOid,
  TENANT,
  TRUSTED_TENANT,
  useSocial,
  vouched,
} from '../support/social.ts'

/** The tenant of all personal Microsoft accounts. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'

onBothEngines('addresses of an identity provider', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const { come, refuse, server } = useSocial(engine)

  test('65: an address that Google does not vouch for links nothing and creates nothing', async () => {
    const { postern } = await server()
    const admin = await administrator(postern)
    const invited = await inviteByMail(postern, admin)
    for (const email of [admin.email, invited.email, newEmail('stranger')]) {
      for (const doubt of [
        { email_verified: false },
        { email_verified: 'false' },
        { email_verified: 'true' },
        { email_verified: 1 },
        { email_verified: undefined },
        { hd: undefined },
      ]) {
        await refuse('UNAUTHORIZED', 'google', { ...vouched(email), ...doubt })
      }
    }
    assert.deepEqual(await identitiesOf(postern, admin.accountId), [])
    assert.equal((await accountOf(postern, invited.email))?.status, 'inactive')
  })

  test('66: an address that a directory only claims gives access to no account (nOAuth)', async () => {
    const { postern } = await server()
    const { email, accountId } = await administrator(postern)
    const attacker = { tid: EVIL_TENANT, oid: newOid(), email, preferred_username: email, upn: email }
    for (const mark of [undefined, false, 'false', 0, '0', null]) {
      await refuse('UNAUTHORIZED', 'microsoft', { ...attacker, xms_edov: mark })
    }
    await refuse('UNAUTHORIZED', 'microsoft', { ...attacker, email_verified: true })
    await refuse('UNAUTHORIZED', 'microsoft', { ...attacker, verified_primary_email: [newEmail('other')] })
    assert.deepEqual(await identitiesOf(postern, accountId), [])
  })

  test('66: a token whose tenant is wrong, or that has no key, opens no session', async () => {
    const { postern, microsoft } = await server()
    const { email, accountId } = await administrator(postern)
    const good = { tid: TENANT, oid: newOid(), email, xms_edov: true }
    const issuerOf = (tenant: string) => microsoft.issuer.replace('{tenantid}', tenant)
    // MICROSOFT_ISSUER is the issuer for work accounts, not for personal ones.
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, tid: CONSUMERS })
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, iss: issuerOf(EVIL_TENANT) })
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, iss: microsoft.issuer })
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, tid: undefined, iss: issuerOf(TENANT) })
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, oid: undefined })
    await refuse('UNAUTHORIZED', 'microsoft', { ...good, oid: '' })
    assert.deepEqual(await identitiesOf(postern, accountId), [])
    const { client, answer } = await come('microsoft', good)
    assert.equal((await assertSignedIn(client, answer)).id, accountId)
  })

  test('66: the same object in another tenant is another person', async () => {
    const { postern } = await server()
    const victim = await administrator(postern)
    const other = await administrator(postern)
    const oid = newOid()
    await come('microsoft', { tid: TENANT, oid, email: victim.email, xms_edov: true })
    assert.deepEqual(await identitiesOf(postern, victim.accountId), [`microsoft ${TENANT}:${oid}`])
    await refuse('UNAUTHORIZED', 'microsoft', { tid: EVIL_TENANT, oid, email: victim.email })
    const { client, answer } = await come('microsoft', {
      tid: EVIL_TENANT,
      oid,
      email: other.email,
      xms_edov: true,
    })
    assert.equal((await assertSignedIn(client, answer)).id, other.accountId)
  })

  test('66: an address of a tenant that the operator trusts counts without a mark', async () => {
    const { postern } = await server()
    const { email, accountId } = await administrator(postern)
    const { client, answer } = await come('microsoft', { tid: TRUSTED_TENANT, oid: newOid(), email })
    assert.equal((await assertSignedIn(client, answer)).id, accountId)
  })

  it('67: a changed address leads to the same account and to nothing of the new address', async () => {
    const { postern } = await server()
    const { email, accountId, organizationId } = await administrator(postern)
    const invited = await inviteByMail(postern, await administrator(postern))
    const taken = await administrator(postern)
    const person = { tid: TENANT, oid: newOid() }
    await come('microsoft', { ...person, email, xms_edov: true })
    for (const changed of [
      { email: invited.email },
      { email: invited.email, xms_edov: true },
      { email: taken.email, xms_edov: true },
      {},
    ]) {
      const { client, answer } = await come('microsoft', { ...person, ...changed })
      const user = await assertSignedIn(client, answer)
      assert.equal(user.id, accountId)
      assert.equal(user.email, email)
      assert.deepEqual(
        user.organizations.map(({ id }: { id: string }) => id),
        [organizationId],
      )
    }
    assert.equal((await accountOf(postern, invited.email))?.status, 'inactive')
    await refuse(
      'FORBIDDEN',
      'microsoft',
      { ...person, email: invited.email, xms_edov: true },
      {
        invitationToken: invited.token,
      },
    )
  })
})
