import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { SECOND } from '#src/core/clock.ts'
import { REQUEST_DEADLINE } from '#src/oauth/provider-fetch.ts'
import { type ForgingProvider, startForgingProvider } from '../support/forging-provider.ts'
import { json } from '../support/http-server.ts'
import { administrator } from '../support/people.ts'
import { type EngineName, onOneEngineByDay, type Postern, startPostern } from '../support/postern.ts'
import {
  assertNoSession,
  assertRefused,
  assertSignedIn,
  begin,
  CALLBACK,
  SOCIAL_ENV,
  storeOf,
  vouched,
  withCookiesOf,
} from '../support/social.ts'

/** The state of a failing endpoint. */
interface Trouble {
  /** Resolves once a call waits at the endpoint. */
  waiting: PromiseWithResolvers<void>
  /** Bytes that were sent before the connection was closed. */
  sent: number
  trap: string
}

type Failure = (response: ServerResponse, trouble: Trouble) => void | Promise<void>

const chunk = Buffer.alloc(64 * 1024, ' ')

/** Kinds of failures; some are detected only by a timeout. */
const FAILURES: Record<string, Failure> = {
  down: (response) => void response.destroy(),
  broken: (response) => json(response, { error: 'server_error' }, 500),
  'not speaking JSON': (response) => void response.writeHead(200).end('<html>'),
  'answering with nothing': (response) => json(response, null),
  'answering with something else': (response) => json(response, { keys: [1], access_token: 1, issuer: 1 }),
  'slow to answer': (_response, { waiting }) => waiting.resolve(),
  'slow in the middle of its answer': (response, { waiting }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"keys":', () => waiting.resolve())
  },
  huge: async (response, trouble) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    // 100 MB, for a reader without a limit.
    while (trouble.sent < 100_000_000 && !response.destroyed) {
      const failure = await new Promise((resolve) => response.write(chunk, resolve))
      if (failure) return
      trouble.sent += chunk.length
    }
  },
  redirecting: (response, { trap }) => void response.writeHead(302, { location: trap }).end(),
  'redirecting to where clouds keep secrets': (response) =>
    void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
}

onOneEngineByDay('a failing identity provider', (engine) => {
  for (const [how, fail] of Object.entries(FAILURES)) {
    it(`70: ${how}: each endpoint in its turn ends the sign-in, and hinders no later one`, async () => {
      await withProvider(engine, async (idp, postern) => {
        const { email } = await administrator(postern)
        idp.claims = vouched(email)
        const client = postern.client()
        const body = { provider: 'google', callbackURL: CALLBACK }
        const undiscovered = breakDown(idp, 'metadata', fail)
        const refused = await inTime(postern, undiscovered, () =>
          client.post('/v1/auth/sign-in/social', body),
        )
        assert.equal(refused.status, 502)
        assert.equal(refused.body.error.code, 'INTEGRATION_PROVIDER_ERROR')
        assert.equal(refused.body.error.details.provider, 'google')
        idp.instead = {}

        // In this order, because keys are fetched once and cached.
        for (const endpoint of ['jwks', 'token'] as const) {
          const callback = idp.authorize(await begin(client, 'google'))
          const trouble = breakDown(idp, endpoint, fail)
          const answer = await inTime(postern, trouble, () => client.get(callback))
          assertRefused(client, answer, 'INTEGRATION_PROVIDER_ERROR')
          idp.instead = {}
          await assertSignedIn(client, await client.get(idp.authorize(await begin(client, 'google'))))
          await client.post('/v1/auth/sign-out')
        }
        assert.deepEqual(idp.strayed, [])
      })
    })
  }

  it('70: metadata that cannot be had any more at the callback open no session', async () => {
    const idp = await startForgingProvider()
    const env = { ...SOCIAL_ENV, ...idp.env('GOOGLE') }
    const before = await startPostern(engine, { env })
    const { email } = await administrator(before)
    idp.claims = vouched(email)
    const client = before.client()
    const callback = idp.authorize(await begin(client, 'google'))
    await before.stop()
    const after = await startPostern(engine, { env, env0: storeOf(before) })
    try {
      const trouble = breakDown(idp, 'metadata', (response) => void response.destroy())
      const browser = withCookiesOf(client, after.client())
      assertRefused(
        browser,
        await inTime(after, trouble, () => browser.get(callback)),
        'INTEGRATION_PROVIDER_ERROR',
      )
    } finally {
      await after.stop()
      await idp.stop()
    }
  })

  it('70: an answer of 512 KiB is read, and one of a byte more is refused', async () => {
    await withProvider(engine, async (idp, postern) => {
      const { email } = await administrator(postern)
      idp.claims = vouched(email)
      const client = postern.client()
      const ofSize = (bytes: number, text: string) => (_request: unknown, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(text.padEnd(bytes))
      const read = async (path: string) => (await fetch(`${idp.issuer}${path}`)).text()
      const most = 512 * 1024
      const metadata = await read('/.well-known/openid-configuration')
      const body = { provider: 'google', callbackURL: CALLBACK }
      idp.instead = { metadata: ofSize(most + 1, metadata) }
      const refused = await client.post('/v1/auth/sign-in/social', body)
      assert.equal(refused.status, 502, refused.text)
      idp.instead = { metadata: ofSize(most, metadata) }
      const callback = idp.authorize(await begin(client, 'google'))
      const keys = await read('/jwks')
      idp.instead = { jwks: ofSize(most + 1, keys) }
      assertRefused(client, await client.get(callback), 'INTEGRATION_PROVIDER_ERROR')
      idp.instead = { jwks: ofSize(most, keys) }
      await assertSignedIn(client, await client.get(idp.authorize(await begin(client, 'google'))))
    })
  })

  it('70: metadata of another issuer, or without keys, begin nothing', async () => {
    await withProvider(engine, async (idp, postern) => {
      const client = postern.client()
      for (const metadata of [
        { issuer: 'https://evil.test' },
        { issuer: undefined },
        { jwks_uri: undefined },
        { authorization_endpoint: undefined },
        { authorization_endpoint: 'javascript:alert(1)' },
      ]) {
        idp.metadata = metadata
        const body = { provider: 'google', callbackURL: CALLBACK }
        const answer = await client.post('/v1/auth/sign-in/social', body)
        assert.equal(answer.status, 502, JSON.stringify(metadata))
        assert.equal(answer.body.error.code, 'INTEGRATION_PROVIDER_ERROR')
        postern.clock.advance(3_600 * SECOND)
      }
      assertNoSession(client)
    })
  })
})

/** Postern with a provider that it has not called yet. */
async function withProvider(
  engine: EngineName,
  work: (idp: ForgingProvider, postern: Postern) => Promise<void>,
): Promise<void> {
  const idp = await startForgingProvider()
  const postern = await startPostern(engine, { env: { ...SOCIAL_ENV, ...idp.env('GOOGLE') } })
  try {
    await work(idp, postern)
  } finally {
    await postern.stop()
    await idp.stop()
  }
}

function breakDown(idp: ForgingProvider, endpoint: 'metadata' | 'token' | 'jwks', fail: Failure): Trouble {
  const trouble: Trouble = { waiting: Promise.withResolvers(), sent: 0, trap: `${idp.issuer}/trap` }
  idp.instead = { [endpoint]: (_request: unknown, response: ServerResponse) => fail(response, trouble) }
  return trouble
}

/**
 * The answer. The clock advances while the provider does not answer; otherwise it is stopped, so that the speed of the machine does not
 * matter.
 */
async function inTime<T>(postern: Postern, trouble: Trouble, ask: () => Promise<T>): Promise<T> {
  using _still = postern.clock.stop()
  const start = postern.clock.now()
  const answer = ask()
  const isWaiting = await Promise.race([trouble.waiting.promise.then(() => true), answer.then(() => false)])
  if (isWaiting) postern.clock.advance(REQUEST_DEADLINE)
  const given = await answer
  assert.ok(postern.clock.now() - start < 10 * SECOND, 'it took 10 seconds or more')
  assert.ok(trouble.sent < 8 * 1024 * 1024, `${trouble.sent} bytes were taken`)
  return given
}
