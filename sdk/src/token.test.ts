import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TokenError, type TokenReason, verifyToken } from './token.ts'

const encode = (value: object | ArrayBuffer) =>
  Buffer.from(value instanceof ArrayBuffer ? new Uint8Array(value) : JSON.stringify(value)).toString(
    'base64url',
  )
const newPair = () =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
const NOW = Date.now()
const seconds = Math.floor(NOW / 1_000)

/** An issuer of its own for each test: what is known of one is kept. */
async function newIssuer() {
  const baseUrl = `https://${crypto.randomUUID()}.test`
  const keys = new Map([['one', await newPair()]])
  let fetched = 0
  let isDown = false
  const call = async (url: string | URL | Request) => {
    fetched++
    if (isDown) throw new TypeError('fetch failed')
    assert.equal(url, `${baseUrl}/.well-known/jwks.json`)
    const jwks = await Promise.all(
      [...keys].map(async ([kid, { publicKey }]) => ({
        ...(await crypto.subtle.exportKey('jwk', publicKey)),
        kid,
        alg: 'ES256',
      })),
    )
    return Response.json({ keys: jwks })
  }
  const claims = {
    iss: baseUrl,
    aud: baseUrl,
    sub: 'acc_1',
    org_id: 'org_1',
    role: 'member',
    sid: 'ses_1',
    jti: 'j',
    iat: seconds,
    nbf: seconds - 5,
    exp: seconds + 3_600,
  }
  return {
    keys,
    fetched: () => fetched,
    goDown: () => {
      isDown = true
    },
    async token(more: object = {}, header: object = {}, kid = 'one') {
      const signed = `${encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${encode({ ...claims, ...more })}`
      const { privateKey } = keys.get(kid) ?? (await newPair())
      const signature = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        privateKey,
        Buffer.from(signed),
      )
      return `${signed}.${encode(signature)}`
    },
    verify: (token: string, more: object = {}) =>
      verifyToken(token, { baseUrl: `${baseUrl}/`, fetch: call as typeof fetch, now: NOW, ...more }),
  }
}

const is = (reason: TokenReason) => (error: unknown) => error instanceof TokenError && error.reason === reason

it('a good token gives its claims, and its keys are fetched once for all who ask', async () => {
  const issuer = await newIssuer()
  const token = await issuer.token()
  const [claims] = await Promise.all(Array.from({ length: 20 }, () => issuer.verify(token)))
  assert.deepEqual([claims?.sub, claims?.org_id, claims?.role], ['acc_1', 'org_1', 'member'])
  await issuer.verify(token)
  assert.equal(issuer.fetched(), 1)
})

it('a token that is not good is refused, with the reason', async () => {
  const issuer = await newIssuer()
  const good = await issuer.token()
  const [head, payload] = good.split('.')
  const bad: [string, TokenReason][] = [
    ['garbage', 'malformed'],
    [undefined as never, 'malformed'],
    ['a.b.c', 'malformed'],
    [`${good}.more`, 'malformed'],
    [
      `${head}.${encode({ ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()), role: 'administrator' })}.${good.split('.')[2]}`,
      'bad_signature',
    ],
    [`${head}.${payload}.`, 'bad_signature'],
    [`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`, 'wrong_algorithm'],
    [await issuer.token({}, { typ: 'JWT' }), 'wrong_algorithm'],
    [await issuer.token({}, { alg: 'HS256' }), 'wrong_algorithm'],
    [await issuer.token({}, {}, 'two'), 'unknown_key'],
    [await issuer.token({ iss: 'https://other.test' }), 'wrong_issuer'],
    [await issuer.token({ aud: 'https://other.test' }), 'wrong_audience'],
    [await issuer.token({ nbf: seconds + 60 }), 'not_yet_valid'],
    [await issuer.token({ exp: seconds - 60 }), 'expired'],
    [await issuer.token({ exp: undefined }), 'expired'],
  ]
  for (const [token, reason] of bad) await assert.rejects(issuer.verify(token), is(reason), reason)
  await issuer.verify(await issuer.token({ exp: seconds - 3 }))
  await assert.rejects(
    issuer.verify(await issuer.token(), { audience: 'https://api.test' }),
    is('wrong_audience'),
  )
})

it('a key made up does not make us ask again and again; a new one is found once the pause is over', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const issuer = await newIssuer()
  await issuer.verify(await issuer.token())
  const made = await issuer.token({}, {}, 'made-up')
  for (let times = 0; times < 5; times++) await assert.rejects(issuer.verify(made), is('unknown_key'))
  assert.equal(issuer.fetched(), 1)
  issuer.keys.set('two', await newPair())
  t.mock.timers.tick(31_000)
  await issuer.verify(await issuer.token({}, {}, 'two'))
  assert.equal(issuer.fetched(), 2)
})

it('a known key serves on for an hour while Postern cannot be reached', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const issuer = await newIssuer()
  const token = await issuer.token()
  await issuer.verify(token)
  issuer.goDown()
  t.mock.timers.tick(6 * 60_000)
  await issuer.verify(token)
  assert.equal(issuer.fetched(), 2)
  t.mock.timers.tick(60 * 60_000)
  await assert.rejects(issuer.verify(token), TypeError)
})

it('tokens made up do not make us ask again and again while Postern cannot be reached', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const issuer = await newIssuer()
  issuer.goDown()
  const made = await issuer.token({}, {}, 'made-up')
  for (let times = 0; times < 20; times++) await assert.rejects(issuer.verify(made), TypeError)
  assert.equal(issuer.fetched(), 1)
  t.mock.timers.tick(6_000)
  await assert.rejects(issuer.verify(made), TypeError)
  assert.equal(issuer.fetched(), 2)
})
