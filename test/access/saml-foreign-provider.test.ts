import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator } from '../support/people.ts'
import { bringAnswer, newSamlProvider, readRequest } from '../support/saml-provider.ts'
import { assertRefused, assertSignedIn, failures } from '../support/social.ts'
import { beginSso, useSso } from '../support/sso.ts'

const PROGRAM = 'test/clients/saml_provider.py'
const PACKAGES = ['pysaml2==7.5.5']
/** Time for a download. */
const INSTALL = 5 * MINUTE

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#'
const GCM = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'

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

  /** A Python with the package; undefined, and the test is skipped, where it cannot be had. */
  async function havePython(context: TestContext): Promise<string | undefined> {
    const environment = join(folder, 'python')
    const program = join(environment, 'bin', 'python')
    const skip = (why: string) => {
      context.skip(why)
      return undefined
    }
    if (!(await run('xmlsec1', ['--version']))) return skip('xmlsec1 is not on this machine.')
    if (!(await run('python3', ['-m', 'venv', environment]))) return skip('Python 3 is not on this machine.')
    if (!(await run(program, ['-m', 'pip', 'install', '--quiet', ...PACKAGES])))
      return skip('pip could not install pysaml2.')
    return program
  }

  it('reads the metadata of Postern, and signs people in by what it signs and encrypts', async (context) => {
    const python = await havePython(context)
    if (python === undefined) return
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
    const body = { kind: 'saml', name: 'pysaml2', saml: idp.saml, createsMemberships: true }
    const made = await postern.client().post('/v1/identity-providers', body, { token })
    assert.equal(made.status, 201, made.text)
    const metadata = await postern.client().get(new URL(made.body.saml.ownMetadataUrl).pathname)
    writeFileSync(files.metadata, metadata.text)
    for (const [index, [what, asked, refused]] of WAYS.entries()) {
      const client = postern.client()
      const authUrl = await beginSso(client, { identityProviderId: made.body.id })
      const email = `person-${index}@${domain}`
      const { response } = await ask(python, {
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
})

/** Has the provider answer a request. */
function ask(python: string, asked: object): Promise<{ response: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
    const child = execFile(python, [PROGRAM], { env, timeout: MINUTE }, (error, out, complaints) => {
      if (error !== null) reject(new Error(`${error.message}\n${complaints}`))
      else resolve(JSON.parse(out) as { response: string })
    })
    child.stdin?.end(JSON.stringify(asked))
  })
}

/** @returns whether it went well */
function run(program: string, args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: INSTALL }, (error) => resolve(error === null))
  })
}
