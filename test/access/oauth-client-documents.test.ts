import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { authorizeRequest, consent, openRequest, redeem, refresh } from '../support/oauth.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, type Postern, startPostern } from '../support/postern.ts'

const file = (name: string) => readFileSync(join('test', 'fixtures', 'tls', name))
const ENV = { OAUTH_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }
const REDIRECT_URI = 'https://client.test/callback'

function sendDocument(response: ServerResponse, document: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

onOneEngineByDay('an application that is known by the document at its client id', (engine) => {
  const trusted = getCACertificates('default')
  let site: Server
  let id: string
  let document: Record<string, unknown>
  let asked = 0
  /** By path, answers that describe no client that may ask. */
  const refused: Record<string, (response: ServerResponse, url: string) => void> = {
    'another-client': (response) => sendDocument(response, document),
    'a-shared-secret': (response, url) =>
      sendDocument(response, {
        ...document,
        client_id: url,
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    'no-json': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    'no-object': (response) => sendDocument(response, [document]),
    'not-found': (response) => void response.writeHead(404).end(),
    'a-redirect': (response) => void response.writeHead(302, { location: id }).end(),
  }
  before(async () => {
    setDefaultCACertificates([...trusted, file('authority.pem').toString()])
    site = createServer({ cert: file('server.pem'), key: file('server-key.pem') }, (request, response) => {
      asked += 1
      const answer = refused[request.url?.slice(1) ?? '']
      if (answer !== undefined) return answer(response, `https://${request.headers.host}${request.url}`)
      sendDocument(response, document)
    })
    await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve))
    id = `https://localhost:${(site.address() as AddressInfo).port}/client.json`
    document = {
      client_id: id,
      client_name: 'A hosted client',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  })
  after(async () => {
    setDefaultCACertificates(trusted)
    await new Promise((resolve) => site.close(resolve))
  })

  it('gets a grant without a registration, and what its document then says counts at once where it is read anew', async () => {
    const first = await startPostern(engine, { env: ENV })
    let second: Postern | undefined
    try {
      const person = await administrator(first)
      const client = { id, redirectUri: REDIRECT_URI }
      const request = authorizeRequest(first, client)
      const seen = await person.client.get(
        `/v1/auth/authorizations/${await openRequest(person.client, request)}`,
      )
      assert.deepEqual(
        [seen.body.client.name, seen.body.client.isRegistered],
        ['A hosted client', false],
        seen.text,
      )
      const tokens = await redeem(first, client, request, await consent(person, request))
      assert.equal(tokens.status, 200, tokens.text)
      const call = { token: tokens.body.access_token }
      assert.equal((await first.client().get('/v1/webhooks', call)).status, 200)
      const [grant] = (await person.client.get('/v1/auth/grants')).body.data
      assert.deepEqual([grant.clientId, grant.clientName], [id, 'A hosted client'])
      // It is kept in memory for a while.
      assert.equal(asked, 1)

      // Another process, which has not read it yet.
      const moved = 'https://client.test/moved'
      Object.assign(document, { client_name: 'A renamed client', redirect_uris: [moved] })
      const { DATA_DIR = '', DATABASE_URL } = first.env
      await first.stop()
      const env0 = { DATA_DIR, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) }
      second = await startPostern(engine, {
        env: { ...ENV, PORT: first.env.PORT ?? '' },
        env0,
        clock: first.clock,
      })
      const again = second.client()
      again.cookies.set('session', String(person.client.cookies.get('session')))
      const there = { ...person, client: again }
      const old = await again.get(authorizeRequest(second, client).path)
      assert.match(old.headers.get('location') ?? '', /\/consent\?error=invalid_redirect_uri/)
      const next = authorizeRequest(second, { id, redirectUri: moved })
      const now = await again.get(`/v1/auth/authorizations/${await openRequest(again, next)}`)
      assert.equal(now.body.client.name, 'A renamed client', now.text)
      assert.equal((await consent(there, next)).href.startsWith(moved), true)
      // The earlier grant still works.
      assert.equal((await refresh(second, client, tokens.body.refresh_token)).status, 200)
      assert.equal(asked, 2)
    } finally {
      await (second ?? first).stop()
    }
  })

  it('is refused where its document is of another client, has a shared secret, or cannot be read', async () => {
    const postern = await startPostern(engine, { env: ENV })
    try {
      for (const path of Object.keys(refused)) {
        const before = asked
        const request = authorizeRequest(postern, { id: new URL(path, id).href, redirectUri: REDIRECT_URI })
        const answer = await postern.client().get(request.path)
        const at = new URL(answer.headers.get('location') ?? '', postern.url)
        assert.equal(at.pathname, '/consent', path)
        assert.match(at.searchParams.get('error') ?? '', /^invalid_client/, path)
        assert.ok(asked > before, path)
      }
    } finally {
      await postern.stop()
    }
  })

  it('is not fetched, and not known, where the operator has switched that off', async () => {
    const postern = await startPostern(engine, { env: { ...ENV, OAUTH_CLIENT_DOCUMENTS: 'off' } })
    try {
      const before = asked
      const { path } = authorizeRequest(postern, { id, redirectUri: REDIRECT_URI })
      const at = new URL((await postern.client().get(path)).headers.get('location') ?? '')
      assert.deepEqual([at.pathname, at.searchParams.get('error')], ['/consent', 'invalid_client'])
      assert.equal(asked, before)
    } finally {
      await postern.stop()
    }
  })

  it('is not fetched from a private network that the operator has not opened', async () => {
    const postern = await startPostern(engine)
    try {
      const before = asked
      const answer = await postern
        .client()
        .get(authorizeRequest(postern, { id, redirectUri: REDIRECT_URI }).path)
      assert.match(answer.headers.get('location') ?? '', /\/consent\?error=/)
      assert.equal(asked, before)
    } finally {
      await postern.stop()
    }
  })
})
