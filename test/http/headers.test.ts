import assert from 'node:assert/strict'
import { it } from 'node:test'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, type Postern, usePostern } from '../support/postern.ts'
import { rawHead, sendRaw } from '../support/raw-http.ts'

/** The headers of every answer. */
const ALWAYS = {
  'content-security-policy': /frame-ancestors 'none'/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-site$/,
  'referrer-policy': /^no-referrer$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
}
const HSTS = /^max-age=31536000; includeSubDomains$/

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const PREFLIGHT = { origin: 'https://app.acme.test', 'access-control-request-method': 'GET' }
const FORBIDDEN_PREFLIGHT = { ...PREFLIGHT, origin: 'https://evil.test' }

type Send = (path: string, call?: object) => Promise<{ status: number; headers: Headers }>

/** Each kind of answer there is, by the status that it has. */
const ANSWERS: [what: string, status: number, ask: (send: Send, token: string) => ReturnType<Send>][] = [
  ['a page', 200, (send) => send('/sign-in')],
  ['a page at a path of the API', 200, (send) => send('/v1/auth/magic-link/verify?token=x')],
  ['the page of the documentation', 200, (send) => send('/api/docs')],
  ['the document of the API', 200, (send) => send('/openapi.json')],
  ['the published keys', 200, (send) => send('/.well-known/jwks.json')],
  ['a sign of health', 200, (send) => send('/livez')],
  ['what a load balancer asks', 200, (send) => send('/readyz')],
  ['figures', 200, (send) => send('/metrics', { headers: { authorization: 'Bearer measured' } })],
  ['what an organization asks', 200, (send, token) => send('/v1/organizations', { token })],
  ['the head of an answer', 200, (send) => send('/v1/errors', { method: 'HEAD' })],
  ['a preflight', 204, (send) => send('/v1/events', { method: 'OPTIONS', headers: PREFLIGHT })],
  [
    'a preflight of a stranger',
    204,
    (send) => send('/v1/events', { method: 'OPTIONS', headers: FORBIDDEN_PREFLIGHT }),
  ],
  ['no credentials', 401, (send) => send('/v1/organizations')],
  ['nothing there', 404, (send) => send('/no/such/path')],
  ['a wrong method', 404, (send) => send('/v1/errors', { method: 'PUT' })],
  [
    'a broken body',
    400,
    (send) =>
      send('/v1/auth/sign-out', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{',
      }),
  ],
  [
    'a form that is refused',
    401,
    (send) => send('/v1/auth/magic-link/verify', { method: 'POST', headers: FORM, body: 'token=x' }),
  ],
]

/** What comes to no route. */
const RAW: [what: string, bytes: string][] = [
  ['no request', 'what is this\r\n\r\n'],
  ['no host', 'GET /livez HTTP/1.1\r\n\r\n'],
  ['a tunnel', rawHead('CONNECT example.com:443')],
  [
    'an expectation that nobody has',
    rawHead('POST /v1/auth/sign-out', { expect: 'a miracle', 'content-length': 0 }),
  ],
  ['an address that is none', rawHead('GET /livez%')],
]

onOneEngineByDay('the headers of every answer', (engine) => {
  for (const baseUrl of ['http://localhost:3000', 'https://postern.acme.test']) {
    const server = usePostern(engine, {
      env: { BASE_URL: baseUrl, METRICS_TOKEN: 'measured', ALLOWED_ORIGINS: 'https://app.acme.test' },
    })
    const isSecure = baseUrl.startsWith('https:')

    const assertAlways = (what: string, headerOf: (name: string) => string | null) => {
      for (const [name, value] of Object.entries(ALWAYS))
        assert.match(String(headerOf(name)), value, `${what}: ${name}`)
      const hsts = headerOf('strict-transport-security')
      if (isSecure) assert.match(String(hsts), HSTS, what)
      else assert.equal(hsts, null, what)
    }

    async function assetOf(postern: Postern): Promise<string> {
      const { text } = await postern.client().get('/sign-in')
      return /"(\/assets\/[^"]+)"/.exec(text)?.[1] ?? ''
    }

    it(`are there whatever is answered, below ${baseUrl}`, async () => {
      const postern = await server()
      const { token } = await administrator(postern)
      const send: Send = (path, call = {}) => postern.client().call(path, call)
      for (const [what, status, ask] of ANSWERS) {
        const answer = await ask(send, token)
        assert.equal(answer.status, status, what)
        assertAlways(what, (name) => answer.headers.get(name))
      }
      const asset = await send(await assetOf(postern))
      assert.equal(asset.status, 200)
      assertAlways('a file of the pages', (name) => asset.headers.get(name))
      for (const [what, bytes] of RAW) {
        const { head } = await sendRaw(postern.url, bytes)
        assertAlways(what, (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? null)
      }
    })
  }
})
