import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CLI_CLIENT, DEVICE_GRANT } from '#src/access/authorization/built-in-clients.ts'
import { MINUTE } from '#src/core/clock.ts'
import { RATES } from '#src/core/limits.ts'
import { assertError } from '../support/attacks.ts'
import { askByDevice, askToken, pollToken, registerClient } from '../support/oauth.ts'
import { administrator, member } from '../support/people.ts'
import { onBothEngines, type Postern, testOnOneEngineByDay, usePostern } from '../support/postern.ts'
import { callsOf } from '../support/webhook-calls.ts'

const DECISION = '/v1/auth/devices/decision'

/** Only the limits of codes have their defaults. */
const LIMITS = JSON.stringify({
  ...Object.fromEntries(Object.keys(RATES).map((name) => [name, { max: 1_000_000 }])),
  deviceCodePerAccount: RATES.deviceCodePerAccount,
})

onBothEngines('attacks on devices that ask by a code', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { env: { LIMITS } })

  async function cliOf(postern: Postern) {
    const asked = await askByDevice(postern, CLI_CLIENT)
    return { asked, userCode: asked.user_code }
  }

  test('91 a link with a code grants nothing by being opened, and the page warns before a code is entered', async () => {
    const postern = await server()
    const victim = await administrator(postern)
    const { asked, userCode } = await cliOf(postern)
    const page = await victim.client.get(`/device?user_code=${userCode}`)
    assert.equal(page.status, 200)
    assert.match(page.text, /someone sent you a code or a link/)
    assert.doesNotMatch(page.text, new RegExp(userCode), 'the page is the same for every code')
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.equal((await victim.client.post('/v1/auth/devices', { userCode })).status, 200)
    assert.equal((await pollToken(postern, CLI_CLIENT, asked)).body.error, 'authorization_pending')
    const wish = { userCode, allow: true, organizationId: victim.organizationId }
    const headers = { origin: 'https://evil.test' }
    assertError(await victim.client.post(DECISION, wish, { headers }), 'FORBIDDEN', { reason: 'cross_site' })
    assertError(await postern.client().post(DECISION, wish), 'UNAUTHORIZED')
    assertError(await postern.client().post(DECISION, wish, { token: victim.token }), 'UNAUTHORIZED')
  })

  it('92 codes cannot be guessed: an account tries twenty in ten minutes, with any session', async () => {
    const postern = await server()
    const { asked, userCode } = await cliOf(postern)
    const person = await administrator(postern)
    const { max } = RATES.deviceCodePerAccount
    for (let tried = 0; tried < max; tried += 1) {
      const guess = { userCode: `BCDF-GHJ${'KLMNPQRSTVWXZ'[tried % 13]}` }
      const path = tried % 2 === 0 ? '/v1/auth/devices' : DECISION
      assertError(
        await person.client.post(path, path === DECISION ? { ...guess, allow: false } : guess),
        'ENTITY_NOT_FOUND',
      )
    }
    assertError(await person.client.post('/v1/auth/devices', { userCode }), 'RATE_LIMITED')
    const wish = { userCode, allow: true, organizationId: person.organizationId }
    assertError(await person.client.post(DECISION, wish), 'RATE_LIMITED')
    assert.equal((await pollToken(postern, CLI_CLIENT, asked)).body.error, 'authorization_pending')
    postern.clock.advance(10 * MINUTE)
    for (const odd of ['', 'x'.repeat(33), '%', 'ＢＣＤＦ-GHJK', "' or 1=1 --"]) {
      const answer = await person.client.post('/v1/auth/devices', { userCode: odd })
      assert.ok([400, 404].includes(answer.status), answer.text)
    }
  })

  it('93 of several decisions at once one counts, and of several devices with one device code one gets tokens', async () => {
    const postern = await server()
    const people = await Promise.all([1, 2, 3].map(() => administrator(postern)))
    const { asked, userCode } = await cliOf(postern)
    const decide = people.map(({ client, organizationId }, at) =>
      client.post(DECISION, { userCode, allow: at !== 1, ...(at === 1 ? {} : { organizationId }) }),
    )
    const answers = await Promise.all(decide)
    const counted = answers.filter(({ status }) => status === 204)
    assert.equal(counted.length, 1, answers.map(({ text }) => text).join())
    for (const { status } of answers) assert.ok([204, 404].includes(status))
    const made = await Promise.all(
      people.map(async ({ client }) => (await client.get('/v1/auth/grants')).body.data.length),
    )
    const isRefused = answers[1]?.status === 204
    assert.equal(
      made.reduce((sum, one) => sum + one, 0),
      isRefused ? 0 : 1,
      'a decision that did not count has made no grant',
    )
    const next = await cliOf(postern)
    const [person] = people
    assert.ok(person)
    const wish = { userCode: next.userCode, allow: true, organizationId: person.organizationId }
    assert.equal((await person.client.post(DECISION, wish)).status, 204)
    const polls = await Promise.all([1, 2, 3].map(() => pollToken(postern, CLI_CLIENT, next.asked)))
    const good = polls.filter(({ status }) => status === 200)
    assert.ok(good.length <= 1, 'a device code was used twice')
    for (const { body } of good)
      assertError(await callsOf(postern, body.access_token).get('/v1/webhooks'), 'UNAUTHORIZED')
    assert.ok(asked.device_code.length >= 43)
  })

  test('94 no person grants for another organization, and no client uses the device code of another', async () => {
    const postern = await server()
    const [admin, stranger] = [await administrator(postern), await administrator(postern)]
    const person = await member(postern, admin)
    const { asked, userCode } = await cliOf(postern)
    const foreign = { userCode, allow: true, organizationId: stranger.organizationId }
    assertError(await person.client.post(DECISION, foreign), 'FORBIDDEN', { reason: 'not_a_member' })
    assertError(await person.client.post(DECISION, { userCode, allow: true }), 'MISSING_REQUIRED_FIELD')
    const more = {
      ...{ userCode, allow: true, organizationId: admin.organizationId },
      scopes: ['keys:write', 'webhooks:write', 'webhooks:read'],
    }
    const other = await registerClient(postern, {
      ...{ grant_types: [DEVICE_GRANT], redirect_uris: [], response_types: [] },
    })
    assert.equal((await person.client.post(DECISION, more)).status, 204)
    assert.equal((await pollToken(postern, other.id, asked)).body.error, 'invalid_grant')
    assert.equal((await pollToken(postern, CLI_CLIENT, { ...asked, device_code: userCode })).status, 400)
    const tokens = await pollToken(postern, CLI_CLIENT, asked)
    assert.equal(tokens.body.scope, 'webhooks:read', tokens.text)
    const codes = { grant_type: 'authorization_code', client_id: CLI_CLIENT, code: asked.device_code }
    assert.equal((await askToken(postern, { ...codes, redirect_uri: 'https://evil.test/' })).status, 400)
    const at = await postern
      .client()
      .get(`/oauth/authorize?response_type=code&client_id=${CLI_CLIENT}&redirect_uri=https://evil.test/`)
    assert.ok(
      (at.headers.get('location') ?? '').startsWith(`http://localhost:${postern.env.PORT}/consent?error=`),
    )
  })
})
