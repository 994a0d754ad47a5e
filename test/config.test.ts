import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { freshStore } from './support/postern.ts'
import { BIN, runProcess, startProcess } from './support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The problems that these settings have; none where they are good. */
function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

describe('configuration', () => {
  it('needs no variable at all', () => {
    const config = readConfig({})
    assert.equal(config.http.host, '127.0.0.1')
    assert.equal(config.web.baseUrl, 'http://localhost:3000')
    assert.equal(config.store.databaseUrl, undefined)
    assert.equal(config.access.signUpProof, 'mailbox')
  })

  it('reports every problem at once, and the process ends with 1', async () => {
    const { code, out, err } = await runProcess(
      ['start'],
      {
        PORT: 'http',
        HOST: 'example.com',
        ROLE: 'cook',
        BASE_URL: 'postern.example.com',
        DATABASE_URL: 'mysql://localhost/x',
        ALLOWED_ORIGINS: 'https://app.example.com/path',
        TRUST_PROXY: 'the-proxy',
        LIMITS: 'null',
        RETENTION_DAYS: '0',
        SECRET_KEY: 'short',
      },
      BIN,
    )
    assert.equal(code, 1)
    assert.equal(out, '')
    const [title, ...problems] = err.trimEnd().split('\n')
    assert.equal(title, 'These settings must be changed:')
    assert.deepEqual(
      problems.map((line) => /^ {2}- ([A-Z_]+) must /.exec(line)?.[1]),
      [
        'HOST',
        'PORT',
        'BASE_URL',
        'DATABASE_URL',
        'SECRET_KEY',
        'ROLE',
        'ALLOWED_ORIGINS',
        'TRUST_PROXY',
        'LIMITS',
        'RETENTION_DAYS',
      ],
    )
  })

  it('reads nothing of telemetry that is turned off', () => {
    const other = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }
    assert.deepEqual(problemsOf(other).length, 2)
    for (const OTEL_SDK_DISABLED of ['true', 'True', 'TRUE']) {
      assert.deepEqual(problemsOf({ ...other, OTEL_SDK_DISABLED }), [])
      assert.equal(readConfig({ ...other, OTEL_SDK_DISABLED }).telemetry, undefined)
    }
  })

  it('repeats what was given, so that the typing error shows', () => {
    assert.deepEqual(problemsOf({ PORT: '80 80' }), [
      'PORT must be a whole number from 0 to 65535 (it is "80 80")',
    ])
  })

  it('takes a sender of mails that is one address, after a name where there is one', () => {
    const senders = [
      'a@b.test',
      '<a@b.test>',
      "O'Neil, Inc. <a@b.test>",
      String.raw`"A \"b\" <c>" <a@b.test>`,
    ]
    for (const sender of senders) assert.equal(readConfig({ MAIL_FROM: sender }).mail.from, sender)
    for (const wrong of [
      'A "b" C <a@b.test>',
      '"A" a@b.test',
      '"A@b" <c>',
      'A <a@b.test> b',
      'a@b.test, c@d.test',
    ])
      assert.match(problemsOf({ MAIL_FROM: wrong }).join(), /^MAIL_FROM must be a mail address, or/)
  })

  const secrets: Record<string, string>[] = [
    { SECRET_KEY: 'hunter2' },
    { DATABASE_URL: 'mysql://u:hunter2@db/x' },
    { SMTP_URL: 'http://u:hunter2@mail' },
    { BASE_URL: 'https://u:hunter2@postern.test' },
    { ALLOWED_ORIGINS: 'https://u:hunter2@app.test' },
    { GOOGLE_CLIENT_SECRET: 'hunter2' },
    { STRIPE_SECRET_KEY: 'hunter2' },
    { STRIPE_WEBHOOK_SECRET: 'hunter2' },
    { MICROSOFT_CLIENT_SECRET: 'hunter2' },
    { DATABASE_DIRECT_URL: 'mysql://u:hunter2@db/x', DATABASE_URL: 'postgres://db/x' },
    { BASE_URL: 'https://u:hun/hunter2@postern.test' },
    { BASE_URL: 'https://postern.test/?key=hunter2' },
    { HOST: 'postgres://u:hunter2@db/x' },
    { HOST: 'smtp://u:"hunter2@mail' },
    { PORT: 'sk_live_hunter2_0123456789' },
    { ALLOWED_ORIGINS: 'u:hunter2@app.test' },
    { TRUST_PROXY: 'http://u:hunter2@proxy' },
    { GOOGLE_ISSUER: 'http://u:hunter2@google.test', GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b' },
    { DEFAULT_PLAN: 'postgres://u:hunter2@db/x' },
  ]
  for (const env of secrets) {
    it(`never repeats a secret: ${Object.keys(env).join()}`, () => {
      const problems = problemsOf(env)
      assert.equal(problems.length, 1)
      assert.doesNotMatch(problems.join(), /hunter2/)
    })
  }

  it('repeats nothing of a file that is no JSON: a secret may stand where it ends', () => {
    const file = join(folder, 'providers.json')
    for (const text of [
      '{"providers": hunter2}',
      '{"providers": [{"clientSecret": "hunter2", }]}',
      'hunter2',
    ]) {
      writeFileSync(file, text)
      const [problem = ''] = problemsOf({ CONNECTIONS_FILE: file })
      assert.match(problem, /^CONNECTIONS_FILE is not JSON/)
      assert.doesNotMatch(problem, /hunter2/)
    }
  })

  it('repeats no credentials of an address in a file', () => {
    const file = join(folder, 'endpoints.json')
    const provider = {
      tokenEndpoint: 'ftp://u:hunter2@idp.test/token',
      authorizationEndpoint: 'https://u:hunter2@idp.test',
    }
    writeFileSync(
      file,
      JSON.stringify({ providers: { acme: { ...provider, issuer: 'http://u:hunter2@idp.test' } } }),
    )
    const problems = problemsOf({ CONNECTIONS_FILE: file })
    assert.notDeepEqual(problems, [])
    assert.doesNotMatch(problems.join('\n'), /hunter2/)
  })

  it('knows which variable was perhaps meant, and takes no other for a slip', () => {
    const misspelt = (...names: string[]) =>
      readConfig(Object.fromEntries(names.map((name) => [name, '1']))).misspelt.map(
        ({ name, nearest }) => `${name} ${nearest}`,
      )
    assert.deepEqual(misspelt('SMPT_URL', 'DATABASE_URI', 'PORTS', 'BASEURL', 'METRIC_TOKEN'), [
      'SMPT_URL SMTP_URL',
      'DATABASE_URI DATABASE_URL',
      'PORTS PORT',
      'BASEURL BASE_URL',
      'METRIC_TOKEN METRICS_TOKEN',
    ])
    assert.deepEqual(
      misspelt('HOME', 'PATH', 'HOSTNAME', 'NODE_OPTIONS', 'TERM', 'LANG', 'PWD', 'USER', 'SHELL', 'port'),
      [],
    )
  })

  it('warns of it at the start', async () => {
    const server = await startProcess({
      ...(await freshStore('sqlite')),
      SMPT_URL: 'smtp://127.0.0.1:1',
      LOG_LEVEL: 'warn',
    })
    const line = server
      .out()
      .split('\n')
      .find((text) => text.includes('SMPT_URL'))
    assert.equal(JSON.parse(line ?? '{}').nearest, 'SMTP_URL')
    assert.equal(await server.end(), 0)
  })

  it('in production refuses plain http, except on this machine', () => {
    const production = (BASE_URL: string) => problemsOf({ NODE_ENV: 'production', BASE_URL })
    assert.deepEqual(production('http://postern.example.com'), [
      'BASE_URL must start with https:// in production (it is "http://postern.example.com")',
    ])
    assert.deepEqual(production(''), ['BASE_URL must be set in production'])
    for (const good of ['https://postern.example.com', 'http://localhost:3000', 'http://127.0.0.1:3000'])
      assert.deepEqual(production(good), [])
    for (const name of [
      'http://127.evil.example',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
    ])
      assert.equal(production(name).length, 1, name)
  })

  it('serves the embedded database from one process only', () => {
    assert.deepEqual(problemsOf({ ROLE: 'worker' }), [
      'ROLE=worker needs DATABASE_URL: the embedded database serves one process',
    ])
    assert.deepEqual(problemsOf({ ROLE: 'worker', DATABASE_URL: 'postgres://localhost/x' }), [])
  })

  it('asks for both halves of a provider', () => {
    assert.deepEqual(problemsOf({ GOOGLE_CLIENT_ID: 'id' }), [
      'GOOGLE_CLIENT_SECRET must be set beside GOOGLE_CLIENT_ID',
    ])
  })

  it('lets LIMITS change single rows and names a row that there is none of', () => {
    const { rates } = readConfig({ LIMITS: '{"signInPerIp":{"max":7}}' }).http
    assert.deepEqual(rates.signInPerIp, { max: 7, windowMs: 60_000 })
    assert.deepEqual(rates.signUpPerIp, readConfig({}).http.rates.signUpPerIp)
    assert.match(problemsOf({ LIMITS: '{"signin":{"max":7}}' }).join(), /names no limit "signin"/)
  })
})
