import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { withPostern } from '../support/attacks.ts'
import { freshStore, onBothEngines, onOneEngineByDay, startPostern } from '../support/postern.ts'
import { runProcess } from '../support/process.ts'
import { refusedStart } from '../support/start-here.ts'

const LONG = 'a master key of more than thirty-two bytes'

// The settings are read before a store is opened.
onOneEngineByDay('a start with settings that are wrong, or risky', (engine) => {
  it('86: it does not start in production where a cookie would travel unprotected', async () => {
    const store = await freshStore(engine)
    const wrong: Record<string, RegExp> = {
      '': /BASE_URL must be set in production/,
      'http://auth.acme.test': /BASE_URL must start with https:\/\/ in production/,
      'ftp://auth.acme.test': /BASE_URL must be a URL that starts with http/,
      'auth.acme.test': /BASE_URL must be a URL/,
      'https://user:secret@auth.acme.test': /BASE_URL must be a plain URL without credentials/,
    }
    for (const [BASE_URL, complaint] of Object.entries(wrong)) {
      const { code, err, out } = await refusedStart({ ...store, NODE_ENV: 'production', BASE_URL })
      assert.equal(code, 1)
      assert.match(err, complaint)
      assert.doesNotMatch(err, / at .*\.ts:/)
      assert.equal(out, '')
    }
  })

  it('86: it reports every problem at once, and repeats no secret', async () => {
    const { code, err } = await runProcess(['start'], {
      DATA_DIR: (await freshStore('sqlite')).DATA_DIR ?? '',
      NODE_ENV: 'production',
      SECRET_KEY: 'changeme',
      DATABASE_URL: 'mysql://root:hunter2@db/postern',
      SMTP_URL: 'http://user:hunter3@mail',
      ALLOWED_ORIGINS: '*',
      TRUST_PROXY: 'everything',
      SIGN_UP_PROOF: 'no',
      LIMITS: '{"signInPerIp":{"max":-1}}',
      PORT: '99999',
      GOOGLE_CLIENT_ID: 'only half of it',
    })
    assert.equal(code, 1)
    const named = ['SECRET_KEY must be at least 32 bytes', 'DATABASE_URL', 'SMTP_URL', 'ALLOWED_ORIGINS']
    named.push('TRUST_PROXY', 'SIGN_UP_PROOF', 'LIMITS', 'PORT', 'GOOGLE_CLIENT_SECRET', 'BASE_URL')
    for (const name of named) assert.ok(err.includes(name), `${name} is not in ${err}`)
    assert.doesNotMatch(err, /changeme|hunter/)
  })

  it('86: outside production it starts with plain http, with a warning about the effect', async () => {
    const unsafe = { BASE_URL: 'http://auth.acme.test' }
    for (const [env, warnings] of [
      [unsafe, 1],
      [{}, 0],
    ] as const) {
      await withPostern(engine, { env }, async (postern) => {
        assert.equal(postern.log().match(/plain http over a network/g)?.length ?? 0, warnings)
      })
    }
  })
})

onBothEngines('start', (engine) => {
  it('86: there is no default key: the first start generates one, readable only by its owner', async () => {
    const [one, two] = [await freshStore(engine), await freshStore(engine)]
    const keys: string[] = []
    for (const store of [one, two]) {
      const postern = await startPostern(engine, { env0: store })
      await postern.stop()
      const file = join(store.DATA_DIR ?? '', 'secret.key')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      keys.push(readFileSync(file, 'utf8').trim())
    }
    assert.match(keys[0] ?? '', /^[\w-]{43}$/)
    assert.notEqual(keys[0], keys[1])
  })

  it('86: an empty key file is refused, also if nothing was ever sealed', async () => {
    const store = await freshStore(engine)
    writeFileSync(join(store.DATA_DIR ?? '', 'secret.key'), '')
    const { code, err } = await refusedStart({ ...store })
    assert.equal(code, 1)
    assert.match(err, /^The key file .*secret\.key is empty\. .* remove the file\.$/m)
  })

  it('86: it does not start with a key that is not the one of its data', async () => {
    const store = await freshStore(engine)
    const postern = await startPostern(engine, { env0: store })
    await postern.stop()
    const file = join(store.DATA_DIR ?? '', 'secret.key')
    const original = readFileSync(file)
    writeFileSync(file, `${'x'.repeat(43)}\n`)
    const changed = await refusedStart({ ...store })
    assert.equal(changed.code, 1)
    assert.match(
      changed.err,
      /The key in the file .*secret\.key .* is not the one this database was begun with/,
    )
    for (const [text, words] of [
      ['', 'is empty'],
      ['\n', 'is empty'],
      ['short\n', 'holds 5 bytes, and a key has 32 or more'],
    ] as const) {
      writeFileSync(file, text)
      const none = await refusedStart({ ...store })
      assert.equal(none.code, 1)
      assert.match(none.err, new RegExp(`^The key file .*secret\\.key ${words}\\. Put the key back`))
    }
    rmSync(file)
    const missing = await refusedStart({ ...store })
    assert.equal(missing.code, 1)
    assert.match(missing.err, /The key that this database was begun with .* is missing/)
    const other = await refusedStart({ ...store, SECRET_KEY: LONG })
    assert.equal(other.code, 1)
    assert.match(other.err, /The key in SECRET_KEY/)
    assert.doesNotMatch(other.err, new RegExp(LONG))
    writeFileSync(file, original)
    const repeated = await startPostern(engine, { env0: store })
    await repeated.stop()
  })
})
