import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { assertError } from '../support/attacks.ts'
import {
  assertConnected,
  assertNotConnected,
  BACK,
  beginConnecting,
  connectionsEnv,
  lasting,
  readConnection,
  wildEntry,
} from '../support/connections.ts'
import { type ForgingProvider, startForgingProvider } from '../support/forging-provider.ts'
import { close, json } from '../support/http-server.ts'
import { onOneEngineByDay, type Postern, postern, startPostern } from '../support/postern.ts'
import { startWildProvider } from '../support/wild-provider.ts'

const GOOD = { issuer: 'https://acme.test', clientId: 'postern' }

/** The problems that a file has, without its name. */
function problemsOf(content: unknown, env: Record<string, string> = {}): string[] {
  const settings = connectionsEnv({})
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(settings.CONNECTIONS_FILE, text)
  try {
    readConfig({ ...settings, ...env })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map((line) => {
      assert.match(line, /^CONNECTIONS_FILE .* \(in .*connections\.json\)$/)
      return line.slice('CONNECTIONS_FILE '.length, line.lastIndexOf(' (in '))
    })
  }
}

describe('the file of providers', () => {
  it('says everything that is wrong with it at once, each with its place', () => {
    const providers = {
      'Not A Name': GOOD,
      nothing: {},
      half: { ...GOOD, tokenEndpoint: 'https://acme.test/token' },
      plain: { ...GOOD, issuer: 'http://acme.test' },
      password: { ...GOOD, issuer: 'https://a:b@acme.test' },
      openid: {
        authorizationEndpoint: 'https://acme.test/authorize',
        tokenEndpoint: 'https://acme.test/token',
        clientId: 'postern',
        scopes: ['openid'],
      },
      lists: {
        ...GOOD,
        scopes: ['a b', 7],
        apiHosts: ['https://api.acme.test', 'api.acme.test/v1', 'A.test'],
      },
      secret: { ...GOOD, clientSecretVariable: 'MISSING_SECRET', minimumBackoffSeconds: 0.5 },
      inline: { ...GOOD, clientSecretVariable: 'the-secret-itself' },
      own: { ...GOOD, clientSecretVariable: 'SECRET_KEY' },
      method: { ...GOOD, tokenEndpointAuthMethod: 'client_secret_post', authorizeParameters: { state: 'x' } },
      more: { ...GOOD, clientSecret: 'x' },
    }
    const problems = problemsOf({ providers }, { SECRET_KEY: 'x'.repeat(32) })
    assert.deepEqual(
      problems.map((line) => line.split(' ')[0]),
      [
        'providers["Not',
        'providers.nothing',
        'providers.nothing.clientId',
        'providers.half',
        'providers.plain.issuer',
        'providers.password.issuer',
        'providers.openid.issuer',
        'providers.lists.scopes[0]',
        'providers.lists.scopes[1]',
        'providers.lists.apiHosts[0]',
        'providers.lists.apiHosts[1]',
        'providers.secret.clientSecretVariable',
        'providers.secret.minimumBackoffSeconds',
        'providers.inline.clientSecretVariable',
        'providers.own.clientSecretVariable',
        'providers.method.tokenEndpointAuthMethod',
        'providers.method.authorizeParameters.state',
        'providers.more.clientSecret',
      ],
      problems.join('\n'),
    )
    assert.ok(!problems.join().includes('the-secret-itself'))
    assert.deepEqual(problemsOf({ providers: { good: GOOD } }), [])
  })

  it('must be there, and be JSON', () => {
    assert.match(problemsOf('{')[0] ?? '', /^is not JSON/)
    assert.match(problemsOf([])[0] ?? '', /^the file must be an object/)
    assert.match(problemsOf({})[0] ?? '', /^providers must be an object/)
    assert.throws(() => readConfig({ CONNECTIONS_FILE: '/nowhere/at/all.json' }), /cannot be read: ENOENT/)
  })
})

onOneEngineByDay('providers of connections', (engine) => {
  async function beside(
    providers: Record<string, object>,
    work: (postern: Postern) => Promise<void>,
    more: Record<string, string> = {},
  ): Promise<void> {
    const env = connectionsEnv(providers, { SOME_SECRET: 'some-secret', ...more })
    const postern = await startPostern(engine, { env })
    try {
      await work(postern)
    } finally {
      await postern.stop()
    }
  }

  const openIdEntry = ({ issuer }: ForgingProvider, more: object = {}) => ({
    issuer,
    clientId: 'postern',
    clientSecretVariable: 'SOME_SECRET',
    scopes: ['openid'],
    ...more,
  })

  it('are believed only with an answer and an ID token of their own', async () => {
    const idp = await startForgingProvider()
    try {
      await beside({ forger: openIdEntry(idp) }, async (postern) => {
        const admin = await lasting(postern)
        const come = async (more: Record<string, string> = {}) =>
          admin.client.get(idp.authorize(await beginConnecting(admin, 'forger'), more))
        const id = assertConnected(await come({ iss: idp.issuer }))
        assert.equal((await readConnection({ postern }, admin, id)).subject, 'somebody')
        assertNotConnected(await come({ iss: 'https://evil.test' }), 'UNAUTHORIZED')
        assertNotConnected(await come({ code: '' }), 'UNAUTHORIZED')
        for (const claims of [
          { iss: 'https://evil.test' },
          { aud: 'another' },
          { nonce: 'another' },
          { nonce: undefined },
          { exp: 1 },
        ]) {
          idp.claims = claims
          assertNotConnected(
            await come(),
            claims.nonce === undefined && 'nonce' in claims ? 'INTEGRATION_PROVIDER_ERROR' : 'UNAUTHORIZED',
          )
        }
        idp.claims = {}
        idp.instead = {
          token: (_request, response) =>
            json(response, { access_token: 'a'.repeat(9), token_type: 'bearer' }),
        }
        assertNotConnected(await come(), 'INTEGRATION_PROVIDER_ERROR')
        idp.instead = {}
        idp.claims = { sub: 'some\u0000body' }
        assertNotConnected(await come(), 'INTEGRATION_PROVIDER_ERROR')
        idp.claims = { sub: 'somebody else' }
        assert.notEqual(assertConnected(await come()), id)
      })
      idp.claims = {}
      idp.metadata = { authorization_response_iss_parameter_supported: true }
      await beside({ forger: openIdEntry(idp) }, async (postern) => {
        const admin = await lasting(postern)
        const without = idp.authorize(await beginConnecting(admin, 'forger'))
        assertNotConnected(await admin.client.get(without), 'UNAUTHORIZED')
        const withIt = idp.authorize(await beginConnecting(admin, 'forger'), { iss: idp.issuer })
        assertConnected(await admin.client.get(withIt))
      })
    } finally {
      await idp.stop()
    }
  })

  it('may be plain OAuth servers: their metadata are found as well (RFC 8414)', async () => {
    const wild = await startWildProvider()
    const asked: string[] = []
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      asked.push(request.url ?? '')
      if (request.url !== '/.well-known/oauth-authorization-server/tenant') return json(response, {}, 404)
      return json(response, {
        issuer,
        authorization_endpoint: `${wild.origin}/authorize`,
        token_endpoint: `${wild.origin}/token`,
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}/tenant`
    try {
      await beside({ plain: { issuer, clientId: 'public-client' } }, async (postern) => {
        const admin = await lasting(postern)
        const authUrl = await beginConnecting(admin, 'plain')
        assertConnected(await admin.client.get(wild.authorize(authUrl)))
        // A public client proves itself by PKCE alone.
        assert.equal(wild.forms[0]?.get('client_id'), 'public-client')
        assert.match(wild.forms[0]?.get('code_verifier') ?? '', /^[\w-]{43}$/)
        await beginConnecting(admin, 'plain')
        assert.deepEqual(asked, [
          '/tenant/.well-known/openid-configuration',
          '/.well-known/oauth-authorization-server/tenant',
        ])
      })
    } finally {
      await close(server)
      await wild.stop()
    }
  })

  it('are reached at public addresses only, unless the operator opens a network', async () => {
    const wild = await startWildProvider()
    try {
      const closed = { CONNECTIONS_ALLOWED_NETWORKS: '' }
      await beside(
        { wild: wildEntry(wild, { clientSecretVariable: 'SOME_SECRET' }) },
        async (postern) => {
          const admin = await lasting(postern)
          const callback = wild.authorize(await beginConnecting(admin, 'wild'))
          assertNotConnected(await admin.client.get(callback), 'INTEGRATION_PROVIDER_ERROR')
          assert.deepEqual(wild.asked, [])
          assert.match(postern.log(), /"reason":"blocked_address"/)
        },
        closed,
      )
    } finally {
      await wild.stop()
    }
  })

  it('prove themselves to the token endpoint as the file says', async () => {
    const wild = await startWildProvider()
    const entry = (more: object) => wildEntry(wild, { clientSecretVariable: 'SOME_SECRET', ...more })
    const seen: (string | undefined)[] = []
    wild.instead = {
      token: (request, response) => {
        seen.push(request.headers.authorization)
        json(response, { access_token: 'long-enough', token_type: 'Bearer', expires_in: '60' })
      },
    }
    try {
      const providers = { basic: entry({}), post: entry({ tokenEndpointAuthMethod: 'client_secret_post' }) }
      await beside(providers, async (postern) => {
        const admin = await lasting(postern)
        for (const provider of ['basic', 'post'])
          assertConnected(await admin.client.get(wild.authorize(await beginConnecting(admin, provider))))
        assert.equal(seen[0], `Basic ${Buffer.from('postern:some-secret').toString('base64')}`)
        assert.equal(wild.forms[0]?.has('client_secret'), false)
        assert.equal(seen[1], undefined)
        assert.equal(wild.forms[1]?.get('client_secret'), 'some-secret')
        assert.ok(!postern.log().includes('some-secret'))
      })
    } finally {
      await wild.stop()
    }
  })

  it('are asked by the doctor whether they are there', async () => {
    const idp = await startForgingProvider()
    const gone = await startForgingProvider()
    await gone.stop()
    const providers = { here: openIdEntry(idp, { apiHosts: ['api.test'] }), gone: openIdEntry(gone) }
    try {
      await beside(providers, async (running) => {
        const { code, out } = await postern(running, 'doctor')
        assert.equal(code, 1, out)
        const uri = `http://localhost:${running.env.PORT}/v1/connections/oauth/callback/here`
        assert.ok(out.includes(`here: its metadata are found; register ${uri}`), out)
        assert.match(out, /^problem +Connections +gone: the provider failed: unreachable$/m)
      })
    } finally {
      await idp.stop()
    }
  })

  it('that are down, or gone from the file, are said to be', async () => {
    const wild = await startWildProvider()
    const gone = await startForgingProvider()
    await gone.stop()
    const providers = {
      gone: openIdEntry(gone),
      wild: wildEntry(wild, { clientSecretVariable: 'SOME_SECRET' }),
    }
    let store: Record<string, string> = {}
    let id = ''
    let token = ''
    try {
      await beside(providers, async (postern) => {
        const admin = await lasting(postern)
        const body = { provider: 'gone', redirectUrl: BACK }
        const answer = await admin.client.post('/v1/connections/oauth/authorize', body, {
          token: admin.token,
        })
        assertError(answer, 'INTEGRATION_PROVIDER_ERROR', { provider: 'gone', reason: 'unreachable' })
        id = assertConnected(await admin.client.get(wild.authorize(await beginConnecting(admin, 'wild'))))
        token = admin.token
        const { DATA_DIR = '', DATABASE_URL } = postern.env
        store = { DATA_DIR, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) }
      })
      const later = await startPostern(engine, { env: connectionsEnv({}), env0: store })
      try {
        const path = `/v1/connections/${id}`
        const refresh = await later.client().post(`${path}/refresh`, {}, { token })
        assertError(refresh, 'INTEGRATION_PROVIDER_ERROR', { reason: 'not_configured' })
        const order = { method: 'GET', url: wild.origin }
        const fetched = await later.client().post(`${path}/fetch`, order, { token })
        assertError(fetched, 'INTEGRATION_PROVIDER_ERROR', { reason: 'not_configured' })
        assert.equal((await later.client().delete(path, { token })).status, 204)
      } finally {
        await later.stop()
      }
    } finally {
      await wild.stop()
    }
  })
})
