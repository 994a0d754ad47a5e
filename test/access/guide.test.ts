import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { promisify } from 'node:util'
import { Client } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startHandler } from '../support/handler.ts'
import { administrator, apiKey, member, PASSWORD } from '../support/people.ts'
import { onOneEngineByDay, usePostern } from '../support/postern.ts'
import { startReceiver } from '../support/receiver.ts'
import { createTenant, deadBearers } from '../support/tenants.ts'
import { PATIENCE } from '../support/waits.ts'

/** The first block of code after a text of a document. */
function blockAfter(file: string, text: string): string {
  const [, rest] = readFileSync(file, 'utf8').split(text)
  const code = /^```\w+\n(.*?)^```$/ms.exec(rest ?? '')?.[1]
  assert.ok(code, `${file} has no code after "${text}"`)
  return code
}

onOneEngineByDay('the guide for services', (engine) => {
  const server = usePostern(engine)

  it('verifies a good token by the published keys, and refuses every other text', async () => {
    const postern = await server()
    const admin = await administrator(postern)
    const { token, accountId } = await member(postern, admin)
    const port = await freePort()
    const issuer = new URL((await postern.client().get('/v1/errors/nothing')).body.error.docUrl).origin
    const env = { POSTERN_URL: issuer, PORT: String(port) }
    const code = blockAfter('docs/tokens.md', '\n### Node\n')
    const service = await startHandler(process.execPath, 'service.mjs', code, env)
    try {
      const ask = (bearer?: string) =>
        new Client(`http://127.0.0.1:${port}`).get('/', bearer === undefined ? {} : { token: bearer })
      const good = await ask(token)
      assert.equal(good.status, 200, good.text)
      const { organizationId } = admin
      assert.deepEqual(good.body, { accountId, organizationId, role: 'member' })
      assert.equal((await ask(admin.token)).body.role, 'administrator')
      const [header = '', payload = '', signature = ''] = token.split('.')
      const promoted = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), role: 'administrator' }
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const { 'a token that has expired': expired, 'a token of another server': foreign } = await deadBearers(
        await createTenant(postern),
      )
      const bad: Record<string, string | undefined> = {
        nothing: undefined,
        garbage: 'garbage',
        'an API key': await apiKey(postern, admin),
        'another role': `${header}.${part(promoted)}.${signature}`,
        'no algorithm': `${part({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
        'no signature': `${header}.${payload}.`,
        expired,
        foreign,
      }
      for (const [name, bearer] of Object.entries(bad)) assert.equal((await ask(bearer)).status, 401, name)
    } finally {
      await service.stop()
    }
  })
})

onOneEngineByDay('the five minutes of the README', (engine) => {
  const server = usePostern(engine)
  const cleanups: (() => Promise<void>)[] = []
  after(() => Promise.all(cleanups.map((stop) => stop())))
  const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not on this machine'

  for (const opened of ['in a browser', 'by curl']) {
    it(`lead to an event of one's own type at a receiver, for who opened the link ${opened}`, {
      skip,
    }, async () => {
      const postern = await server()
      const admin = await administrator(postern)
      const email = `${opened.replaceAll(' ', '-')}@acme.test`
      const invitation = { email, role: 'administrator', sendEmail: false }
      const { body } = await postern.client().post('/v1/invitations', invitation, { token: admin.token })
      const token = new URL(body.acceptUrl).searchParams.get('token')
      const receiver = await startReceiver()
      cleanups.push(() => receiver.stop())
      const block = (file: string, text: string) =>
        blockAfter(file, text)
          .replaceAll('http://127.0.0.1:9000/', receiver.url)
          .replaceAll('http://localhost:3000', postern.url)
          .replaceAll('ada@acme.test', email)
          .replace('TOKEN=…', `TOKEN=${token}`)
      if (opened === 'in a browser') {
        const person = { firstName: 'Ada', lastName: 'Lovelace', termsAccepted: true, password: PASSWORD }
        const signUp = { ...person, email, invitationToken: token }
        assert.equal((await postern.client().post('/v1/auth/sign-up/email', signUp)).status, 201)
      }
      const steps = [
        opened === 'in a browser'
          ? block('README.md', '**Sign in:**').replace('"password": "…"', `"password": "${PASSWORD}"`)
          : block('docs/operations.md', 'send the request of its form'),
        block('README.md', '**Exchange the session for a JWT.**'),
        block('README.md', '**Register an event type of your own.**'),
        block('README.md', '**Send an event to it.**'),
        'printf "\\n%s\\n" "$JWT"',
      ]
      const folder = mkdtempSync(join(tmpdir(), 'postern-readme-'))
      try {
        const run = promisify(execFile)
        const { stdout } = await run('sh', ['-c', steps.join('\n')], { cwd: folder, timeout: PATIENCE })
        const jwt = stdout.trim().split('\n').at(-1) ?? ''
        assert.equal((await postern.client().get('/v1/webhooks', { token: jwt })).status, 200, stdout)
        const [call] = await receiver.count(1)
        assert.deepEqual(
          [call?.event.type, call?.event.data],
          ['order.paid', { orderId: 'ord_1', amount: 990 }],
        )
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
