import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve, sep } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fetches } from '../support/fetched.ts'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { watch } from '../support/process.ts'
import { PATIENCE, until } from '../support/waits.ts'

const run = promisify(execFile)
const NODE = process.execPath
const TSC = resolve('node_modules/.bin/tsc')

/** Runtimes beside this Node: the package of npm, the program in it, and what that is given. */
const RUNTIMES = {
  node20: ['node@20', 'node', 'index.mjs'],
  node22: ['node@22', 'node', 'index.mjs'],
  node24: ['node@24', 'node', 'index.mjs'],
  deno: ['deno', 'deno', 'run', '--allow-net', 'index.mjs'],
  bun: ['bun', 'bun', 'run', 'index.mjs'],
} as const
const WORKERS_RUNTIME = 'workerd@1.20261117.1'
/** Set by `npm run test:sdk:runtimes`: a runtime that cannot be fetched fails its test. */
const IS_ASKED = process.env.POSTERN_TEST_RUNTIMES === 'yes'
/** The Node of the machine, which need not be the one of the clone. */
const MACHINE = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes(`node_modules${sep}.bin`))
  .map((one) => join(one, 'node'))
  .find((file) => existsSync(file))

const folder = mkdtempSync(join(tmpdir(), 'postern-packed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/**
 * What somebody writes on their first days: a list and its pages, an error, bytes there and back, a stream of a body, what
 * happens as it happens, a call that is given up, and a webhook and a token verified. It says `done`.
 */
const PROGRAM = `
const postern = new Postern({ baseUrl: URL_OF_POSTERN, apiKey: KEY })
const webhook = await postern.webhooks.create({ url: 'https://example.com/', events: ['*'] })
for await (const one of postern.webhooks.list()) if (one.id !== webhook.id) throw new Error('another webhook')
await postern.webhooks.delete(webhook.id)
const gone = await postern.webhooks.read(webhook.id).catch((error) => error)
if (!isCode(gone, 'ENTITY_NOT_FOUND')) throw gone
for (const events of [['file.processed'], ['file.processed'], ['file.processed']])
  await postern.webhooks.create({ url: 'https://example.com/', events })
const three = await postern.webhooks.list({ limit: 1 }).take(4)
if (three.length !== 3) throw new Error('not three pages')
for (const { id } of three) await postern.webhooks.delete(id)
const bytes = new TextEncoder().encode('Grüße')
const source = new ReadableStream({ start(to) { to.enqueue(bytes); to.close() } })
const headers = { 'content-type': 'text/plain' }
for (const whole of [bytes, source]) {
  const file = await postern.files.upload(whole, { query: { name: 'note.txt' }, headers })
  if ((await (await postern.files.content(file.id)).text()) !== 'Grüße') throw new Error('other bytes')
}
const form = new FormData()
form.append('file', new Blob([bytes], { type: 'text/plain' }), 'form.txt')
if ((await postern.files.upload(form)).name !== 'form.txt') throw new Error('no form')
const made = []
for await (const { event, data } of postern.stream({ topics: 'files' })) {
  if (event === 'open') made.push((await postern.files.upload(bytes, { query: { name: 'live.txt' }, headers })).id)
  if (event === 'file' && made.includes(data.id)) break
}
const leave = new AbortController()
const left = postern.webhooks.list({}, { signal: leave.signal }).page().catch((error) => error)
leave.abort(new Error('never mind'))
if ((await left).message !== 'never mind') throw new Error('not given up')
const late = await postern.webhooks.list({}, { timeoutMs: 1, maxRetries: 0 }).page().catch((error) => error)
if (!Array.isArray(late.data) && !isCode(late, 'TIMEOUT')) throw late
const body = JSON.stringify({ id: 'evt_1', type: 'file.processed', createdAt: '', data: {} })
const event = await verify({ body, headers: await sign({ body, secret: webhook.secret }), secrets: webhook.secret })
const { isGenuine } = await diagnose({ body, headers: await sign({ body, secret: webhook.secret }), secrets: webhook.secret })
const bad = await verifyToken('garbage', { baseUrl: URL_OF_POSTERN }).catch((error) => error)
if (!(bad instanceof TokenError) || event.type !== 'file.processed' || !isGenuine) throw new Error('not verified')
console.log('done')
`
const IMPORTS = `
import { isCode, Postern } from 'postern-sdk'
import { diagnose } from 'postern-sdk/doctor'
import { TokenError, verifyToken } from 'postern-sdk/token'
import { sign, verify } from 'postern-sdk/webhooks'
`
const REQUIRES = IMPORTS.replace(/import (.*) from (.*)/g, 'const $1 = require($2)')
/** The same within a request to the runtime of Workers, which has modules by their paths. */
const WORKER = `${IMPORTS.replaceAll(/'postern-sdk\/?(\w*)'/g, (_, name) => `'./dist/${name || 'postern'}.js'`)}
const said = []
const console = { log: (text) => said.push(text) }
export default {
  fetch: () => work().then(() => new Response(said.join()), (error) => new Response(String(error.stack))),
}
async function work() {`

/** What the runtime of Workers reads: a worker of these modules, which may reach this machine. */
const workerConfig = (port: number, modules: string[]) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
${modules.map((name) => `    (name = "dist/${name}", esModule = embed "node_modules/postern-sdk/dist/${name}"),`).join('\n')}
  ],
  compatibilityDate = "2026-11-01",
);
`

const TYPES = `
import type { CreateWebhookBody, Webhook } from 'postern-sdk'
const named: CreateWebhookBody = { url: 'https://example.com/', events: ['*'] }
const hint = (one: Webhook): string => one.secretHint
// @ts-expect-error: there is no such code
isCode(undefined, 'NO_SUCH_CODE')
// @ts-expect-error: an address is missing
const lacking: CreateWebhookBody = { events: ['*'] }
export { hint, lacking, named }
`

describe('the package', () => {
  const server = usePostern('sqlite')
  let project = ''
  let constants = ''

  /** npm, with nothing of the network. */
  const npm = (cwd: string, ...args: string[]) =>
    run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--silent'], { cwd, timeout: PATIENCE })

  before(async () => {
    const [source, blank] = [join(folder, 'source'), join(folder, 'project')]
    for (const one of [source, blank]) mkdirSync(one)
    cpSync('sdk', join(source, 'sdk'), {
      recursive: true,
      filter: (file) => !/node_modules|dist$/.test(file),
    })
    symlinkSync(resolve('node_modules'), join(source, 'node_modules'))
    await npm(join(source, 'sdk'), 'pack', '--pack-destination', folder)
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    writeFileSync(join(blank, 'package.json'), JSON.stringify({ name: 'blank', private: true }))
    await npm(blank, 'install', join(folder, tarball))
    const postern = await server()
    const key = await apiKey(postern, await administrator(postern))
    constants = `const URL_OF_POSTERN = '${postern.url}'\nconst KEY = '${key}'\n`
    project = blank
  })

  async function says(program: string, ...args: string[]): Promise<void> {
    const { stdout } = await run(program, args, { cwd: project, timeout: PATIENCE })
    assert.equal(stdout, 'done\n')
  }

  /**
   * Lets npm install a runtime for the time of a test. The install scripts of some put the program in its place.
   * @returns the program; undefined, and the test is skipped, by day and where npm cannot fetch it
   */
  async function bring(context: TestContext, item: string, program: string): Promise<string | undefined> {
    if (!IS_NIGHTLY && !IS_ASKED) {
      context.skip('at night, and by npm run test:sdk:runtimes')
      return undefined
    }
    const place = mkdtempSync(join(folder, 'runtime-'))
    context.after(() => rmSync(place, { recursive: true, force: true }))
    writeFileSync(join(place, 'package.json'), '{"private":true}')
    const args = ['install', '--silent', '--no-audit', '--no-fund', item]
    if (!(await fetches('npm', args, { cwd: place }))) {
      if (IS_ASKED) assert.fail(`npm could not install ${item}`)
      context.skip(`npm could not install ${item}`)
      return undefined
    }
    const file = join(place, 'node_modules', '.bin', program)
    const { stdout } = await run(file, ['--version'])
    context.diagnostic(`${item}: ${stdout.split('\n')[0]}`)
    return file
  }

  it('brings nothing along, and nothing but what runs and its types', () => {
    assert.deepEqual(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['postern-sdk'],
    )
    const files = readdirSync(join(project, 'node_modules/postern-sdk'), { recursive: true }).map(String)
    for (const file of ['postern.js', 'postern.d.ts', 'cjs/postern.js', 'cjs/postern.d.ts'])
      assert.ok(files.includes(join('dist', file)), file)
    for (const file of ['LICENSE', 'README.md']) assert.ok(files.includes(file), file)
    const expected =
      /^(dist|dist.cjs|(dist.cjs.)?package\.json|README\.md|LICENSE|dist.(cjs.)?[\w.]+\.(js|d\.ts))$/
    assert.deepEqual(
      files.filter((name) => !expected.test(name)),
      [],
    )
    assert.deepEqual(
      files.filter((name) => name.includes('.test.')),
      [],
    )
  })

  it('works in a project in JavaScript, by import and by require', async () => {
    writeFileSync(join(project, 'index.mjs'), IMPORTS + constants + PROGRAM)
    writeFileSync(join(project, 'index.cjs'), `${REQUIRES}${constants}void (async () => {${PROGRAM}})()`)
    for (const node of new Set([NODE, MACHINE ?? NODE])) {
      await says(node, 'index.mjs')
      await says(node, 'index.cjs')
    }
    // Not its ECMAScript modules, which older versions of Node do not let CommonJS take.
    writeFileSync(
      join(project, 'which.cjs'),
      "console.log(require.resolve('postern-sdk').includes('cjs') ? 'done' : '')",
    )
    await says(NODE, 'which.cjs')
  })

  it('works in the runtime of Workers', async (context) => {
    const workerd = await bring(context, WORKERS_RUNTIME, 'workerd')
    if (workerd === undefined) return
    const port = await freePort()
    const modules = readdirSync(join(project, 'node_modules/postern-sdk/dist')).filter((name) =>
      name.endsWith('.js'),
    )
    writeFileSync(join(project, 'worker.mjs'), `${WORKER}${constants}${PROGRAM}}`)
    writeFileSync(join(project, 'workerd.capnp'), workerConfig(port, modules))
    const child = spawn(workerd, ['serve', 'workerd.capnp'], {
      ...{ cwd: project, stdio: ['ignore', 'pipe', 'pipe'] },
    })
    const runtime = watch(child)
    try {
      const answer = await until(
        () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            (one) => one.text(),
            () => runtime.said(),
          ),
        (text) => text !== '' || child.exitCode !== null,
        { what: 'the worker to answer' },
      )
      assert.equal(answer, 'done')
    } finally {
      child.kill('SIGKILL')
      await runtime.gone
    }
  })

  it('works in a project in TypeScript, with types that say what is wrong', async () => {
    writeFileSync(join(project, 'index.mts'), IMPORTS + TYPES + constants + PROGRAM)
    writeFileSync(
      join(project, 'types.cts'),
      TYPES.replace('import type', "import { isCode } from 'postern-sdk'\nimport type"),
    )
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023']
    const out = join(project, 'built')
    await run(
      TSC,
      [
        ...options,
        '--lib',
        'es2024,dom',
        '--types',
        '',
        '--ignoreConfig',
        '--outDir',
        out,
        'index.mts',
        'types.cts',
      ],
      {
        cwd: project,
        timeout: PATIENCE,
      },
    ).catch(({ stdout, message }) => assert.fail(stdout || message))
    await says(NODE, join(out, 'index.mjs'))
  })

  for (const [name, [item, program, ...args]] of Object.entries(RUNTIMES))
    it(`works in ${name}`, async (context) => {
      const file = await bring(context, item, program)
      if (file === undefined) return
      writeFileSync(join(project, 'index.mjs'), IMPORTS + constants + PROGRAM)
      await says(file, ...args)
    })
})
