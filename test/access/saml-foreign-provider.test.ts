import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { fetches } from '../support/fetched.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { formOf, type MessageName } from '../support/saml-logout.ts'
import { bringAnswer, newSamlProvider, readRequest } from '../support/saml-provider.ts'
import { assertRefused, assertSignedIn, failures } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

const PROGRAM = 'test/clients/saml_provider.py'
const LOGOUT = 'test/clients/saml_logout.py'
const PACKAGES = ['pysaml2==7.5.5']

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#'
const GCM = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'

/** What the provider says of a sign-out. */
interface Said {
  query?: string
  xml?: string
  name?: string
  sessions?: string[]
  status?: string
}

/** How the provider signs and encrypts, and why Postern refuses that; null: it takes it. */
const WAYS: [what: string, asked: object, refused: string | null][] = [
  ['a signed assertion', { options: { sign_assertion: true, sign_response: false } }, null],
  ['a signed response', { options: { sign_assertion: false, sign_response: true } }, null],
  [
    'an encrypted assertion',
    { options: { sign_assertion: true, sign_response: false, encrypt_assertion: true } },
    null,
  ],
  [
    'an encrypted assertion in a signed response',
    { options: { sign_assertion: true, sign_response: true, encrypt_assertion: true } },
    null,
  ],
  [
    'one by CBC in a signed response',
    {
      ...{ cipher: `${XMLENC}aes256-cbc`, keyType: 'aes-256' },
      options: { sign_assertion: true, sign_response: true, encrypt_assertion: true },
    },
    null,
  ],
  [
    'one by CBC without it',
    {
      ...{ cipher: `${XMLENC}aes256-cbc`, keyType: 'aes-256' },
      options: { sign_assertion: true, sign_response: false, encrypt_assertion: true },
    },
    'unsigned_encryption',
  ],
  [
    'one by Triple DES',
    {
      ...{ cipher: `${XMLENC}tripledes-cbc`, keyType: 'des-192' },
      options: { sign_assertion: true, sign_response: true, encrypt_assertion: true },
    },
    'weak_algorithm',
  ],
]

describe('pysaml2 as the identity provider of an organization', {
  skip: !IS_NIGHTLY && 'It is fetched at night.',
}, () => {
  const { server, prove } = useSso('sqlite')
  const folder = mkdtempSync(join(tmpdir(), 'postern-pysaml2-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  let ready: Promise<{ python: string } | { missing: string }> | undefined

  /**
   * A Python with pysaml2, which all tests share. Where it cannot be installed, the test is skipped and the
   * result is undefined.
   */
  async function havePython(context: TestContext): Promise<string | undefined> {
    ready ??= makePython()
    const found = await ready
    if ('python' in found) return found.python
    context.skip(found.missing)
    return undefined
  }

  async function makePython(): Promise<{ python: string } | { missing: string }> {
    const environment = join(folder, 'python')
    const python = join(environment, 'bin', 'python')
    if (!(await fetches('xmlsec1', ['--version']))) return { missing: 'xmlsec1 is not on this machine.' }
    if (!(await fetches('python3', ['-m', 'venv', environment])))
      return { missing: 'Python 3 is not on this machine.' }
    if (!(await fetches(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES])))
      return { missing: 'pip could not install pysaml2.' }
    return { python }
  }

  /** An organization whose provider is pysaml2, which has read the metadata of Postern. */
  async function acme(more: object) {
    const { postern } = await server()
    const { token } = await administrator(postern)
    const { name: domain } = await prove({ token })
    const idp = newSamlProvider()
    const files = {
      key: join(folder, 'key.pem'),
      certificate: join(folder, 'certificate.pem'),
      metadata: join(folder, 'postern.xml'),
    }
    writeFileSync(files.key, idp.identity.privateKey.export({ type: 'pkcs1', format: 'pem' }))
    writeFileSync(files.certificate, idp.identity.certificate)
    const saml = { ...idp.saml, ...more }
    const body = { kind: 'saml', name: 'pysaml2', saml, createsMemberships: true, endsProviderSession: true }
    const made = await postern.client().post('/v1/identity-providers', body, { token })
    assert.equal(made.status, 201, made.text)
    const metadata = await postern.client().get(new URL(made.body.saml.ownMetadataUrl).pathname)
    writeFileSync(files.metadata, metadata.text)
    return { idp, files, made, domain }
  }

  it('reads the metadata of Postern, and signs people in by what it signs and encrypts', async (context) => {
    const python = await havePython(context)
    if (python === undefined) return
    const { postern } = await server()
    const { idp, files, made, domain } = await acme({})
    for (const [index, [what, asked, refused]] of WAYS.entries()) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: made.body.id })
      const email = `person-${index}@${domain}`
      const { response } = await ask<{ response: string }>(PROGRAM, python, {
        ...{ ...files, entityId: idp.entityId, signOnUrl: idp.saml.signOnUrl },
        request: new URL(authUrl).searchParams.get('SAMLRequest'),
        ...{ email, name: `person-${index}`, cipher: GCM, keyType: 'aes-256', ...asked },
      })
      const answer = await bringAnswer(client, postern.client(), readRequest(authUrl), response)
      if (refused === null) {
        assert.equal(
          answer.headers.get('location')?.includes('error='),
          false,
          `${what}: ${JSON.stringify((await failures(postern))[0])}`,
        )
        assert.equal((await assertSignedIn(client, answer)).email, email, what)
      } else {
        assertRefused(client, answer, 'UNAUTHORIZED')
        assert.equal((await failures(postern))[0]?.reason, refused, what)
      }
    }
  })

  it('signs out by either side, in a query and by a form', async (context) => {
    const python = await havePython(context)
    if (python === undefined) return
    const { postern } = await server()
    const logoutUrl = 'https://idp.acme.test/slo'
    for (const binding of ['redirect', 'post'] as const) {
      const { idp, files, made, domain } = await acme({ logoutUrl, logoutBinding: binding })
      const ownEntityId = made.body.saml.ownEntityId as string
      const act = (name: string, more: object): Promise<Said> =>
        ask<Said>(LOGOUT, python, {
          ...{ ...files, entityId: idp.entityId, signOnUrl: idp.saml.signOnUrl, logoutUrl, binding },
          ...{ act: name, postern: ownEntityId, ...more },
        })
      const { pathname } = new URL(made.body.saml.ownLogoutUrl)
      const bring = (
        name: MessageName,
        { query, xml = '' }: { query?: string; xml?: string },
        state: string,
      ) =>
        query === undefined
          ? postern.client().post(pathname, formOf(name, xml, state), { headers: FORM })
          : postern.client().get(`${pathname}?${query}`)
      const signIn = async () => {
        const client = postern.client()
        const authUrl = await beginSso(client, { identityProviderId: made.body.id })
        const person = { nameId: 'ada', attributes: { email: `ada@${domain}` } }
        const said = { now: postern.clock.now(), statement: 'SessionIndex="_one"' }
        const answer = idp.answer(authUrl, person, said)
        await assertSignedIn(
          client,
          await bringAnswer(client, postern.client(), readRequest(authUrl), answer),
        )
        return client
      }
      // Postern begins.
      const client = await signIn()
      const to = (await client.post('/v1/auth/sign-out', {})).body.redirectTo as string
      const { pathname: path, search, searchParams: asked } = new URL(to)
      const page = binding === 'post' ? (await client.get(path + search)).text : ''
      const relayState = asked.get('RelayState') ?? fieldIn(page, 'RelayState')
      const said = await act('answer', {
        request: asked.get('SAMLRequest') ?? fieldIn(page, 'SAMLRequest'),
        ...{ relayState, sigAlg: asked.get('SigAlg'), signature: asked.get('Signature') },
      })
      assert.deepEqual([said.name, said.sessions], ['ada', ['_one']], binding)
      const taken = await bring('SAMLResponse', said, relayState)
      assert.equal(taken.status, 303, taken.text)
      const done = new URL(taken.headers.get('location') ?? '')
      assert.equal((await client.get(done.pathname + done.search)).status, 303)
      const failed = await postern.app.database.db
        .selectFrom('audit')
        .select('details')
        .where('action', '=', 'sign_out.failed')
        .execute()
      assert.deepEqual(failed, [], binding)
      // The provider begins.
      const other = await signIn()
      const begun = await act('begin', { name: 'ada', sessions: ['_one'] })
      const answer = await bring('SAMLRequest', begun, 'state')
      assert.equal((await other.get('/v1/auth/session')).status, 401, answer.text)
      const heard = await act('read', {
        query: new URL(answer.headers.get('location') ?? 'https://none.test').search.slice(1),
        response: fieldIn(answer.text, 'SAMLResponse'),
      })
      assert.match(heard.status ?? '', /:Success$/, binding)
    }
  })
})

/** The value of a field of a form in a page. */
const fieldIn = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? ''

/** Has the provider do what it is asked to. */
function ask<Told>(program: string, python: string, asked: object): Promise<Told> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
    const child = execFile(python, [program], { env, timeout: MINUTE }, (error, out, complaints) => {
      if (error !== null) reject(new Error(`${error.message}\n${complaints}`))
      else resolve(JSON.parse(out) as Told)
    })
    child.stdin?.end(JSON.stringify(asked))
  })
}
