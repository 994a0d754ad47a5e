import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, tally } from '../support/attacks.ts'
import type { Answer } from '../support/browser.ts'
import { stoppedClock } from '../support/clock.ts'
import { administrator, newEmail, PASSWORD } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { type RawAnswer, rawHead, sendRaw } from '../support/raw-http.ts'

/** Sign-ins a minute of one address; no test here reaches another limit. */
const MAX = 5
const LIMITS = JSON.stringify({ signInPerIp: { max: MAX }, publicPerIp: { max: 1_000_000 } })

/** A failed sign-in to a new account. */
function guess(postern: Postern, headers: Record<string, string>): Promise<Answer> {
  const body = { email: newEmail('nobody'), password: PASSWORD }
  return postern.client().post('/v1/auth/sign-in/email', body, { headers })
}

async function guessEach(postern: Postern, all: Record<string, string>[]): Promise<Record<number, number>> {
  const answers: Answer[] = []
  for (const headers of all) answers.push(await guess(postern, headers))
  return tally(answers)
}

onOneEngineByDay('addresses without a proxy', (engine) => {
  const server = usePostern(engine, { clock: stoppedClock(), env: { LIMITS } })

  it('33: without a trusted proxy no header sets the address of a request', async () => {
    const postern = await server()
    const names = [
      'x-forwarded-for',
      'forwarded',
      'x-real-ip',
      'x-client-ip',
      'cf-connecting-ip',
      'true-client-ip',
    ]
    const all = names.map((name, index) => ({
      [name]: name === 'forwarded' ? `for=192.0.2.${index}` : `192.0.2.${index}`,
    }))
    assert.deepEqual(await guessEach(postern, all), { 401: MAX, 429: names.length - MAX })
  })
})

onOneEngineByDay('addresses behind a proxy', (engine) => {
  const server = usePostern(engine, { clock: stoppedClock(), env: { LIMITS, TRUST_PROXY: '127.0.0.1/32' } })
  const forwarded = (...chain: string[]) => ({ 'x-forwarded-for': chain.join(', ') })

  it('33: a header of the client before that of the proxy is not trusted', async () => {
    const postern = await server()
    const all = Array.from({ length: 8 }, (_, index) => forwarded(`192.0.2.${index}`, '198.51.100.33'))
    assert.deepEqual(await guessEach(postern, all), { 401: MAX, 429: 3 })
    assert.equal((await guess(postern, forwarded('198.51.100.34'))).status, 401)
  })

  it('34: one IPv6 /64 is one caller, however its addresses are written', async () => {
    const postern = await server()
    const spellings = [
      '2001:db8:1:2::1',
      '2001:0db8:0001:0002:0000:0000:0000:0002',
      '2001:DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:db8:1:2:3::192.0.2.1',
      '2001:db8:1:2::%eth0',
      ...Array.from({ length: 5 }, (_, index) => `2001:db8:1:2:${index}${index}:${index}::1`),
    ]
    assert.deepEqual(
      await guessEach(
        postern,
        spellings.map((ip) => forwarded(ip)),
      ),
      {
        401: MAX,
        429: spellings.length - MAX,
      },
    )
    assert.equal((await guess(postern, forwarded('2001:db8:1:3::1'))).status, 401)
  })

  it('34: an IPv4 address is the same one inside IPv6', async () => {
    const postern = await server()
    const spellings = [
      '198.51.100.77',
      '::ffff:198.51.100.77',
      '::FFFF:c633:644d',
      '0:0:0:0:0:ffff:198.51.100.77',
      '::ffff:198.51.100.77',
      '198.51.100.77',
    ]
    assert.deepEqual(
      await guessEach(
        postern,
        spellings.map((ip) => forwarded(ip)),
      ),
      { 401: MAX, 429: 1 },
    )
    assert.equal((await guess(postern, forwarded('::ffff:198.51.100.78'))).status, 401)
  })

  it('35: callers that cannot be distinguished share one counter', async () => {
    const postern = await server()
    const garbage = [
      'unknown',
      '_hidden',
      'localhost',
      '999.1.1.1',
      '1.2.3.4:567890',
      '[2001:db8::1:443',
      '<script>',
      `${'a'.repeat(4_000)}`,
    ]
    const counts = await guessEach(
      postern,
      garbage.map((ip) => forwarded(ip)),
    )
    assert.deepEqual(counts, { 401: MAX, 429: garbage.length - MAX })
  })

  it('33: a port after the address changes nothing', async () => {
    const postern = await server()
    const addresses = Array.from({ length: MAX + 2 }, (_, index) => [
      forwarded(`198.51.101.${index}:${50_000 + index}`),
      forwarded(`[2001:db8:7:${index}::1]:443`),
    ]).flat()
    assert.deepEqual(await guessEach(postern, addresses), { 401: addresses.length }, 'each is one of its own')
    const same = [
      '198.51.102.1',
      '198.51.102.1:1',
      '198.51.102.1:65535',
      '[::ffff:198.51.102.1]:80',
      '203.0.113.1, 198.51.102.1:80',
      '[2001:db8::1]:80, 198.51.102.1',
    ].map((chain) => forwarded(chain))
    assert.deepEqual(await guessEach(postern, same), { 401: MAX, 429: 1 })
    const nets = ['2001:db8:8:8::1', '[2001:db8:8:8::2]', '[2001:db8:8:8::3]:1', '[2001:DB8:8:8:0:0:0:4]:2']
    const repeated = [...nets, ...nets.slice(0, 2)].map((ip) => forwarded(ip))
    assert.deepEqual(await guessEach(postern, repeated), { 401: MAX, 429: 1 })
  })

  it('35: a text that is not an address is not recorded as one', async () => {
    const postern = await server()
    postern.clock.advance(60_000)
    await guess(postern, forwarded('<script>alert(1)</script>'.repeat(100)))
    const rows = await postern.app.database.db.selectFrom('audit').select('ip').execute()
    for (const { ip } of rows) assert.match(ip, /^([\da-fA-F.:]+(%\w+)?|unknown|)$/)
  })
})

onOneEngineByDay('other ways to write a path', (engine) => {
  const server = usePostern(engine, {
    clock: stoppedClock(),
    env: { LIMITS: JSON.stringify({ signInPerIp: { max: 3 }, publicPerIp: { max: 1_000_000 } }) },
  })

  /** Sends a request line unchanged. */
  function send(postern: Postern, line: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const body = JSON.stringify({ email: newEmail('nobody'), password: PASSWORD })
    return sendRaw(
      postern.url,
      rawHead(line, { 'content-type': 'application/json', 'content-length': body.length, ...headers }),
      body,
    )
  }

  const variants = [
    '//v1/auth/sign-in/email',
    '/v1//auth/sign-in/email',
    '/v1/auth/sign-in//email',
    '/v1/./auth/sign-in/email',
    '/v1/x/../auth/sign-in/email',
    '/v1/%2e/auth/sign-in/email',
    '/v1/x/%2e%2e/auth/sign-in/email',
    '/v1/auth%2fsign-in%2femail',
    '/V1/auth/sign-in/email',
    '/v1/AUTH/sign-in/email',
    '/v1/auth/sign-in/Email',
    '/v1/auth/sign-in/email/',
    '/v1/auth/sign-in/email;x=1',
    '/v1/auth;x=1/sign-in/email',
    '/v1/auth/sign-in/email.json',
    '/v1/auth/sign-in/email%00',
    '/v1/auth/sign-in/email%20',
    '/v1/auth\\sign-in\\email',
    '/v1/auth/sign-in/email%',
    '/v1/auth/sign-in/email%c0%ae',
  ]
  it('36: another spelling of a path is another path', async () => {
    const postern = await server()
    for (const path of variants) {
      const answer = await send(postern, `POST ${path}`)
      assert.equal(answer.status, 404, `${path}: ${answer.head}`)
      assert.equal(answer.body.error.code, 'ENTITY_NOT_FOUND')
      assert.match(answer.head, /x-request-id: /i)
    }
  })

  it('36: a spelling that means the same route is counted and checked with it', async () => {
    const postern = await server()
    const same = [
      '/v1/auth/sign%2din/email',
      '/v1/auth/sign-in/%65mail',
      '/v1/auth/sign-in/email?',
      '/v1/auth/sign-in/email?x=1',
      `${postern.url}/v1/auth/sign-in/email`,
      '/v1/auth/sign-in/email#x',
    ]
    const statuses: number[] = []
    for (const path of [...same, ...same]) statuses.push((await send(postern, `POST ${path}`)).status)
    assert.ok(statuses.filter((status) => status === 401).length <= 3, statuses.join())
    assert.ok(
      statuses.every((status) => [401, 404, 429].includes(status)),
      statuses.join(),
    )
    postern.clock.advance(60_000)
    // The access of a route is checked for every spelling of its path too.
    for (const path of ['/v1/invit%61tions', '/v1/%69nvitations', '/v1/invitations?x=1']) {
      for (const method of ['GET', 'POST']) {
        assert.ok([401, 404].includes((await send(postern, `${method} ${path}`)).status), path)
      }
    }
  })

  it('36: no header changes the method', async () => {
    const postern = await server()
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const answer = await postern.client().get('/v1/auth/sign-in/email', { headers: { [name]: 'POST' } })
      assertError(answer, 'ENTITY_NOT_FOUND')
      const { token, organizationId, accountId } = await administrator(postern)
      const path = `/v1/organizations/${organizationId}/members/${accountId}`
      const posted = await postern.client().post(path, {}, { token, headers: { [name]: 'DELETE' } })
      assertError(posted, 'ENTITY_NOT_FOUND')
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY']) {
      const answer = await send(postern, `${method} /v1/auth/sign-in/email`)
      assert.ok([400, 404].includes(answer.status), `${method} ${answer.status}`)
    }
  })
})
