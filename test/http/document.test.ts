import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { usePostern } from '../support/postern.ts'
import { PATIENCE } from '../support/waits.ts'

const MODULES = 'node_modules'
const folder = mkdtempSync(join(tmpdir(), 'postern-generators-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('/openapi.json, as others read it', () => {
  const server = usePostern('sqlite')

  /** The document in a file. */
  async function write(): Promise<string> {
    const file = join(folder, 'openapi.json')
    const { text } = await (await server()).client().get('/openapi.json')
    writeFileSync(file, text)
    return file
  }

  function run(...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: PATIENCE,
    })
    assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`.slice(-4_000))
  }

  function assertReadable(code: string, wanted: RegExp[]): void {
    for (const one of wanted) assert.match(code, one)
    // What a generator has to call by itself: by its path, or by a number.
    assert.doesNotMatch(code, /\b(?:get|post|patch|delete)V1[A-Z]\w*|\bexport type \w+\d+ =/)
  }

  it('is an OpenAPI 3.1 document to a validator', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(readFileSync(await write(), 'utf8')))
    assert.ok(valid, JSON.stringify(errors ?? '').slice(0, 4_000))
    assert.equal(validator.version, '3.1')
  })

  it('yields readable types and functions by oazapfts', async () => {
    const out = join(folder, 'oazapfts.ts')
    run(join(MODULES, 'oazapfts/dist/cli.js'), await write(), out)
    const wanted = [
      /export type Webhook = /,
      /export type DeliveryAttempt = /,
      /export function listWebhooks\(/,
    ]
    assertReadable(readFileSync(out, 'utf8'), wanted)
  })

  // By day one generator shows what each of them reads: the names of types and of functions.
  it('yields readable types and functions by hey-api', { skip: !IS_NIGHTLY && 'at night' }, async () => {
    const out = join(folder, 'hey-api')
    const program = join(MODULES, '@hey-api/openapi-ts/dist/run.mjs')
    run(
      '--import=./test/support/older-typescript.ts',
      program,
      '-i',
      await write(),
      '-o',
      out,
      '--no-log-file',
    )
    const wanted = [
      /export type Webhook = /,
      /export type DeliveryAttempt = /,
      /export type CreateWebhookBody = /,
    ]
    assertReadable(readFileSync(join(out, 'types.gen.ts'), 'utf8'), wanted)
    assert.match(readFileSync(join(out, 'sdk.gen.ts'), 'utf8'), /export const rotateWebhookSecret = /)
  })
})
