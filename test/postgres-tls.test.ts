import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freshStore, postern } from './support/postern.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { runProcess, startProcess } from './support/process.ts'

const file = (name: string) => join(import.meta.dirname, 'fixtures', 'tls', name)
const folder = mkdtempSync(join(tmpdir(), 'postern-tls-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A PostgreSQL that shows this certificate, for the tests of one suite. */
function usePostgres(certificate: string): () => string {
  let server: PostgresServer | undefined
  before(async () => {
    server = await startPostgres({ tls: { certificate: file(certificate), key: file('server-key.pem') } })
  })
  after(() => server?.stop())
  return () => `${server?.url.replace('127.0.0.1', 'localhost')}/postgres`
}

/** What a command says that needs the database: its exit code and the lines of its complaint. */
async function asks(databaseUrl: string): Promise<{ code: number; lines: string[] }> {
  const env = { DATA_DIR: folder, DATABASE_URL: databaseUrl }
  const { code, err } = await postern({ env }, 'organizations')
  return { code, lines: err.trimEnd().split('\n') }
}

describe('PostgreSQL with TLS', () => {
  const url = usePostgres('server.pem')

  it('is trusted by the file of its authority, in every mode that asks for TLS, without a warning', async () => {
    const envIn = (mode: string) => ({
      DATA_DIR: folder,
      DATABASE_URL: `${url()}?sslmode=${mode}&sslrootcert=${file('authority.pem')}`,
    })
    const server = await startProcess(envIn('require'))
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    assert.equal(await server.end(), 0)
    assert.doesNotMatch(server.err(), /warning|sslmode/i)
    for (const mode of ['verify-ca', 'verify-full', 'prefer']) {
      const { code, err } = await runProcess(['organizations'], envIn(mode))
      assert.deepEqual([code, err], [0, ''])
    }
  })

  it('is refused in one sentence with the next step where the machine does not trust its certificate', async () => {
    for (const more of ['', `&sslrootcert=${file('other-authority.pem')}`]) {
      const { code, lines } = await asks(`${url()}?sslmode=require${more}`)
      assert.equal(code, 1)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(
        lines[0] ?? '',
        /^DATABASE_URL leads to a PostgreSQL whose certificate this machine does not trust \(.+\)\. Add the file of its authority to the URL: sslrootcert=\/path\/to\/ca\.pem\.$/,
      )
    }
  })

  it('is refused under another name than its certificate is for', async () => {
    const { code, lines } = await asks(
      `${url().replace('localhost', '127.0.0.1')}?sslmode=require&sslrootcert=${file('authority.pem')}`,
    )
    assert.equal(code, 1)
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(
      lines[0] ?? '',
      /^The certificate of PostgreSQL is for another name \(.+\)\. Write that name into DATABASE_URL/,
    )
  })

  it('is refused in words where the file of the authority is not there, or holds no certificate', async () => {
    const none = await asks(`${url()}?sslmode=require&sslrootcert=/nowhere/ca.pem`)
    assert.equal(none.code, 1)
    assert.deepEqual(none.lines, [
      'sslrootcert of DATABASE_URL names /nowhere/ca.pem, which cannot be read (ENOENT).',
    ])
    const empty = join(folder, 'empty.pem')
    writeFileSync(empty, 'no certificate\n')
    const wrong = await asks(`${url()}?sslmode=require&sslrootcert=${empty}`)
    assert.equal(wrong.code, 1)
    assert.deepEqual(wrong.lines, [`sslrootcert of DATABASE_URL names ${empty}, which holds no certificate.`])
  })
})

describe('PostgreSQL with a certificate that has expired', () => {
  const url = usePostgres('expired.pem')

  it('is refused in one sentence', async () => {
    const { code, lines } = await asks(`${url()}?sslmode=require&sslrootcert=${file('authority.pem')}`)
    assert.equal(code, 1)
    assert.deepEqual(lines, ['The certificate of PostgreSQL has expired. Renew it there.'])
  })
})

describe('PostgreSQL without TLS', () => {
  it('is refused in one sentence by who asks for TLS', async () => {
    const { DATABASE_URL } = await freshStore('postgres')
    const { code, lines } = await asks(`${DATABASE_URL}?sslmode=require`)
    assert.equal(code, 1)
    assert.deepEqual(lines, [
      'DATABASE_URL asks for TLS (sslmode), and that PostgreSQL speaks none. Turn ssl on there, or leave sslmode out where the way to it is yours alone.',
    ])
  })
})
