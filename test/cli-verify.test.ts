import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { sign } from '#sdk/webhooks.ts'
import { fromIso } from '#src/core/clock.ts'
import { postern } from './support/postern.ts'
import { BIN } from './support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-receivers-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('postern verify', () => {
  const secret = `whsec_${btoa('x'.repeat(32))}`
  const other = `whsec_${btoa('y'.repeat(32))}`
  const body = '{"id":"evt_1","type":"a.b","createdAt":"2026-11-20T09:00:00.000Z","data":{}}'
  const now = Number(fromIso('2026-11-20T09:00:00Z'))

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  /** `verify` with a secret, headers as curl shows them, and what is said otherwise. */
  async function ask(given: string, more: string[] = [], text = body) {
    const headers = Object.entries(await sign({ body, secret, now })).map(
      ([name, value]) => `< ${name}: ${value}`,
    )
    const files = ['--body', file('body', text), '--headers', file('headers', headers.join('\r\n'))]
    const env = { WEBHOOK_SECRET: given }
    const { code, out } = await postern({ env }, 'verify', ...files, ...more, '--json')
    const said = await postern({ env }, 'verify', ...files, ...more)
    assert.equal(said.code, code)
    const { isGenuine, findings } = JSON.parse(out)
    return { code, isGenuine, causes: findings.map((one: { cause: string }) => one.cause), words: said.out }
  }

  it('says that a call is genuine, also one of the secret before', async () => {
    const good = await ask(secret)
    assert.deepEqual([good.code, good.isGenuine, good.causes], [0, true, []])
    assert.equal(good.words, 'The signature holds: the call is genuine.')
    assert.deepEqual((await ask(`${other} ${secret}`)).causes, ['previous_secret'])
    assert.equal((await ask(secret, ['--at', '2026-11-20T09:00:10Z'])).code, 0)
  })

  it('names what is wrong, and fails', async () => {
    for (const [given, more, text, cause] of [
      [other, [], body, 'wrong_secret'],
      [secret, [], JSON.stringify(JSON.parse(body), null, 2), 'body_was_parsed'],
      [secret, ['--at', '2026-11-20T10:00:00Z'], body, 'too_old'],
      [secret, ['--computed', 'sha256=00'], body, 'malformed'],
    ] as const) {
      const { code, causes, words } = await ask(given, [...more], text)
      assert.deepEqual([code, causes], [1, [cause]])
      assert.match(words, new RegExp(`${cause}: [A-Z]`))
    }
  })

  it('reads the secret from standard input, and shows it nowhere', async () => {
    const headers = JSON.stringify(await sign({ body, secret, now }))
    const files = ['--body', file('body', body), '--headers', file('headers.json', headers)]
    const { WEBHOOK_SECRET: _, ...env } = process.env
    const run = (input: string) =>
      spawnSync(process.execPath, [BIN, 'verify', ...files], {
        input,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      })
    assert.equal(run(`${secret}\n`).status, 0)
    const wrong = run(`${other}\n`)
    assert.equal(wrong.status, 1)
    assert.doesNotMatch(wrong.stdout + wrong.stderr, /whsec_[A-Za-z0-9]{8}/)
  })

  it('says what it does not understand', async () => {
    const misuse = async (env: Record<string, string>, ...args: string[]) => {
      const { code, err } = await postern({ env }, 'verify', ...args)
      assert.equal(code, 2)
      return err
    }
    const files = ['--body', file('body', body), '--headers', file('headers', '')]
    assert.match(await misuse({}), /^--body must name a file/)
    assert.match(await misuse({}, '--body', join(folder, 'nowhere')), /cannot be read \(ENOENT\)/)
    assert.match(await misuse({}, ...files), /^The secret is read from WEBHOOK_SECRET/)
    assert.match(await misuse({ WEBHOOK_SECRET: secret }, ...files, '--at', 'noon'), /^--at must be a moment/)
  })
})
