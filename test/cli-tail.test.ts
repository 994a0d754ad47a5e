import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { loginStore } from '#src/cli/logins.ts'
import { connect } from './support/oauth.ts'
import { onOneEngineByDay, postern, usePostern } from './support/postern.ts'
import { until } from './support/waits.ts'
import { useSender } from './support/webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-tail-'))
after(() => rmSync(folder, { recursive: true, force: true }))

onOneEngineByDay('postern tail', (engine) => {
  const sender = useSender(usePostern(engine))

  it('shows deliveries as they happen, by a key or a login, of one webhook where it is named', async () => {
    const { postern: running, admin, key, receiver, register, publish } = await sender()
    const { url } = await receiver()
    const [{ id }] = [await register(url), await register(url)]
    const env = { ...running.env, POSTERN_API_KEY: key, POSTERN_URL: running.url }
    const over: unknown[] = []
    const words = postern({ env }, 'tail', '--webhook', id, '--count', '1').finally(() => over.push('words'))
    const granted = await connect(running, admin, { scope: 'deliveries:read' })
    const login = { ...env, POSTERN_API_KEY: '', POSTERN_LOGIN_FILE: join(folder, 'logins.json') }
    const tokens = { accessToken: granted.access, scope: granted.scope, expiresAt: Number.MAX_SAFE_INTEGER }
    await loginStore(login, running.url).change(async () => tokens)
    const json = postern({ env: login }, 'tail', '--count', '3', '--json').finally(() => over.push('json'))
    // Who watches sees what comes from then on: events are published until both have seen enough.
    await until(publish, () => over.length === 2, { what: 'two tails that have seen enough' })
    const [said, lines] = await Promise.all([words, json])
    assert.equal(said.code, 0, said.err)
    assert.match(said.err, /^Waiting for deliveries; Ctrl-C ends it\.$/)
    assert.match(
      said.out,
      new RegExp(`^\\S+Z  \\w+ .*agent\\.run\\.completed  ${url}\\S*  attempt \\d  dlv_\\S+$`),
    )
    const shown = lines.out.split('\n').map((line) => JSON.parse(line))
    assert.equal(shown.length, 3)
    for (const one of shown) assert.match(one.id, /^dlv_/)
  })

  it('fails where the key is not good, and asks for one where there is none', async () => {
    const { postern: running } = await sender()
    const env = { ...running.env, POSTERN_URL: running.url }
    const misuse = async (more: object, ...args: string[]) =>
      (await postern({ env: { ...env, ...more } }, 'tail', ...args)).err
    assert.match(await misuse({}), /^POSTERN_API_KEY must hold an API key/)
    assert.match(await misuse({ POSTERN_API_KEY: 'x', POSTERN_URL: 'nowhere' }), /^--url must be an address/)
    assert.match(await misuse({ POSTERN_API_KEY: 'x' }, '--count', '0'), /^--count must be a whole number/)
    const bad = await postern({ env: { ...env, POSTERN_API_KEY: 'psk_nobody' } }, 'tail')
    assert.equal(bad.code, 1)
    assert.notEqual(bad.err, '')
  })
})
