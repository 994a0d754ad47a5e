import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, it } from 'node:test'
import { LoginError, renewedToken, type Tokens } from '#sdk/login.ts'
import { Postern as Sdk } from '#sdk/postern.ts'
import { CLI_CLIENT } from '#src/access/authorization/built-in-clients.ts'
import { runCommand } from '#src/cli/command.ts'
import { administrator, type Person } from './support/people.ts'
import {
  postern as command,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from './support/postern.ts'
import { within } from './support/waits.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-login-'))
  folders.push(folder)
  return folder
}

/** `postern login`, while a person decides about the code that it shows. */
async function logIn(
  env: Record<string, string>,
  person: Person,
  { allow = true, args = [] }: { allow?: boolean; args?: string[] } = {},
): Promise<{ code: number; said: string[] }> {
  const said: string[] = []
  const code = await within(
    'the login',
    runCommand(['login', ...args], {
      env,
      print: (line) => said.push(line),
      complain(line) {
        said.push(line)
        const [, userCode] = /enter the code (\S+)$/.exec(line) ?? []
        if (userCode === undefined) return
        const { organizationId } = person
        const decision = { userCode, ...(allow ? { allow, organizationId } : { allow }) }
        void person.client.post('/v1/auth/devices/decision', decision)
      },
    }),
  )
  return { code, said }
}

onBothEngines('postern login', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  /** A user of another machine, who has no settings of the server. */
  function atHome(running: Postern): Record<string, string> {
    return { HOME: ownFolder(), POSTERN_URL: running.url }
  }

  test('keeps a grant of least right in a file of this user alone, which the SDK uses, until logout ends it', async () => {
    const running = await server()
    const person = await administrator(running)
    const env = atHome(running)
    const file = join(env.HOME ?? '', '.config', 'postern', 'logins.json')
    const { code, said } = await logIn(env, person)
    assert.equal(code, 0, said.join('\n'))
    assert.match(said[0] ?? '', /^Open http:\/\/localhost:\d+\/device$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(file)).mode & 0o777, 0o700)
    const kept = JSON.parse(readFileSync(file, 'utf8'))[running.url] as Tokens
    assert.equal(kept.scope, 'deliveries:read events:read webhooks:read')
    assert.ok(!said.join('\n').includes(kept.accessToken))

    const store = { read: () => kept, change: async () => assert.fail('it was renewed') as never }
    const token = renewedToken({ baseUrl: running.url, clientId: CLI_CLIENT, store })
    const client = new Sdk({ baseUrl: running.url, token })
    assert.deepEqual(await client.webhooks.list().take(1), [])
    await assert.rejects(client.webhooks.create({ url: 'https://example.com/', events: ['*'] }), {
      code: 'FORBIDDEN',
    })

    const out = await command({ env }, 'logout')
    assert.deepEqual([out.code, out.out], [0, `Logged out at ${running.url}.`])
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {})
    assert.equal(existsSync(`${file}.lock`), false)
    assert.deepEqual((await person.client.get('/v1/auth/grants')).body.data, [])
    await assert.rejects(client.webhooks.list().take(1), () => true)
    assert.equal((await command({ env }, 'logout', '--json')).out, `{"url":"${running.url}","ended":false}`)
    assert.match((await command({ env }, 'tail')).err, /"postern login" comes first/)
  })

  it('renews what has expired, once for all who need it at that moment, and says when the grant has ended', async () => {
    const running = await server()
    const person = await administrator(running)
    const own = join(ownFolder(), 'mine.json')
    const env = { ...atHome(running), POSTERN_LOGIN_FILE: own }
    assert.equal((await logIn(env, person, { args: ['--scope', 'webhooks:read'] })).code, 0)
    const { loginStore } = await import('#src/cli/logins.ts')
    const store = loginStore(env, running.url)
    const kept = (await store.read()) as Tokens
    await store.change(async () => ({ ...kept, expiresAt: 0 }))
    const tokenOf = () =>
      renewedToken({ baseUrl: running.url, clientId: CLI_CLIENT, store: loginStore(env, running.url) })
    const all = await Promise.all([1, 2, 3, 4].map(() => tokenOf()()))
    assert.equal(new Set(all).size, 1)
    assert.notEqual(all[0], kept.accessToken)
    const client = new Sdk({ baseUrl: running.url, token: tokenOf() })
    assert.deepEqual(await client.webhooks.list().take(1), [])
    const [grant] = (await person.client.get('/v1/auth/grants')).body.data
    assert.equal((await person.client.delete(`/v1/auth/grants/${grant.id}`)).status, 204)
    await assert.rejects(
      client.webhooks.list().take(1),
      (error: LoginError) => error instanceof LoginError && error.reason === 'invalid_grant',
    )
    chmodSync(own, 0o644)
    const tail = await command({ env }, 'tail')
    assert.deepEqual([tail.code, /Other users can read/.test(tail.err)], [1, true])
  })

  test('ends with a refusal, sends no token in the clear, and takes no words for scopes', async () => {
    const running = await server()
    const person = await administrator(running)
    const env = atHome(running)
    const refused = await logIn(env, person, { allow: false })
    assert.deepEqual(
      [refused.code, refused.said.at(-1)],
      [1, 'You refused in the browser: nothing was granted.'],
    )
    for (const [args, words] of [
      [['--url', 'http://id.example.com'], /tokens are not sent in the clear/],
      [['--url', 'nowhere'], /must be an address/],
      [['--scope', 'everything'], /--scope must hold scopes/],
    ] as const) {
      const misuse = await command({ env }, 'login', ...args)
      assert.equal(misuse.code, 2)
      assert.match(misuse.err, words)
    }
  })
})
