import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from './support/browser.ts'
import { freshStore, onBothEngines, postern } from './support/postern.ts'
import { BIN, runProcess, startProcess } from './support/process.ts'
import { refusedStart, startHere } from './support/start-here.ts'
import { until } from './support/waits.ts'

/** The dependencies that every start loads, most of them because no request can be answered without. */
const NEEDED_AT_START = [
  '@fastify/cookie',
  '@fastify/cors',
  '@fastify/multipart',
  '@prometheus-io/client',
  'fast-json-stringify',
  'fastify',
  'ipaddr.js',
  'kysely',
  'pino',
]

const folder = mkdtempSync(join(tmpdir(), 'postern-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('postern start', () => {
  it('says where it listens, where the data is and how the first administrator gets in', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const server = await startProcess({ DATA_DIR }, BIN)
    const { port } = new URL(server.url)
    assert.match(server.out(), /Postern \d+\.\d+\.\d+ is ready \(\d+ ms\)\./)
    assert.match(server.out(), new RegExp(`Listening http://127\\.0\\.0\\.1:${port}\\n`))
    assert.match(server.out(), new RegExp(`Base URL {2}http://localhost:${port}\\n`))
    assert.match(server.out(), new RegExp(`Console {3}http://localhost:${port}/console\\n`))
    assert.match(server.out(), new RegExp(`API docs {2}http://localhost:${port}/api/docs\\n`))
    assert.ok(server.out().includes(`Data      ${DATA_DIR}`))
    const line = / {4}npx (postern invite .*)\n/.exec(server.out())?.[1]
    assert.equal(line, 'postern invite --organization "Acme" --email you@example.com --role administrator')
    // The line as it stands works beside the running server.
    const words = [...(line ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    )
    const invited = await postern({ env: { DATA_DIR, PORT: port } }, ...words.slice(1))
    assert.equal(invited.code, 0, invited.err)
    const token = /accept-invitation\?token=(\S+)/.exec(invited.out)?.[1]
    const preview = await new Client(server.url).get(`/v1/invitations/preview?token=${token}`)
    assert.equal(preview.body.email, 'you@example.com')
    assert.equal(await server.end(), 0)
  })

  it('logs JSON, one line a request, where nobody reads along', async () => {
    const store = await freshStore('sqlite')
    const server = await startProcess({ ...store, LOG_LEVEL: 'info' })
    const answer = await new Client(server.url).get('/v1/nothing?token=secret')
    await server.says('"path":"/v1/nothing')
    const lines = server
      .out()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    assert.doesNotMatch(lines.join('\n'), /Server listening/)
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    assert.equal(requests.length, 1)
    assert.equal(requests[0].path, '/v1/nothing?token=[redacted]')
    assert.equal(requests[0].status, 404)
    assert.equal(requests[0].requestId, answer.headers.get('x-request-id'))
    await server.end()
  })

  it('keeps the generated key readable by its owner alone', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const server = await startHere({ DATA_DIR })
    assert.equal(statSync(join(DATA_DIR, 'secret.key')).mode & 0o777, 0o600)
    await server.end()
  })

  it('loads nothing that nobody has asked for yet', async () => {
    const file = join(folder, 'loaded')
    const server = await startProcess({
      ...(await freshStore('sqlite')),
      NODE_OPTIONS: `--import=${pathToFileURL('test/support/loaded-modules.ts')}`,
      LOADED_MODULES: file,
    })
    const ready = await fetch(`${server.url}/readyz`)
    assert.equal(ready.status, 200)
    assert.equal(await server.end(), 0)
    const loaded = readFileSync(file, 'utf8').split('\n')
    const has = (part: string) => loaded.some((one) => one.includes(part))
    for (const part of ['/src/app.ts', '/node_modules/fastify/', 'NativeModule http'])
      assert.ok(has(part), part)
    const needless = [
      // Other commands, and what only they or a later request need.
      '/src/doctor/',
      '/src/cli/backup.ts',
      '/src/db/postgres/',
      '/src/http/openapi/document.ts',
      ...[
        'nodemailer',
        'openid-client',
        'stripe',
        'undici',
        'pg',
        '@zxcvbn-ts',
        '@modelcontextprotocol',
        'light-my-request',
      ].map((name) => `/node_modules/${name}/`),
      'NativeModule internal/deps/undici/undici',
      'Intl',
    ]
    assert.deepEqual(needless.filter(has), [])
    // A new dependency is loaded by the first request that needs it, unless every start needs it.
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => has(`/node_modules/${name}/`)),
      NEEDED_AT_START,
    )
  })

  it('is started with nothing that has Node compile its own modules anew', async () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
    const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'))
    assert.match(readFileSync(BIN, 'utf8'), new RegExp(`const MEMORY = \\['${flags.join("', '")}'\\]`))
    const ask = `require('node:http2'); require('node:worker_threads')
      const { compiledWithCache, compiledWithoutCache } =
        require('internal/test/binding').internalBinding('builtins').getCacheUsage()
      console.log(compiledWithCache.size, compiledWithoutCache.size)`
    const compiled = (more: string[]) =>
      spawnSync(process.execPath, [...flags, ...more, '--expose-internals', '-e', ask], { encoding: 'utf8' })
        .stdout.trim()
        .split(' ')
        .map(Number)
    const [taken = 0, anew] = compiled([])
    assert.ok(taken > 50, `${taken} modules came compiled`)
    assert.equal(anew, 0)
    // The check finds modules that are compiled anew, as with this option.
    assert.deepEqual(compiled(['--expose-gc']), [0, taken])
  })

  it('keeps its compiled sources for the next start, also when it is killed', async () => {
    const cache = join(folder, 'compiled')
    const server = await startProcess({ ...(await freshStore('sqlite')), NODE_COMPILE_CACHE: cache }, BIN)
    await until(
      () => (existsSync(cache) ? readdirSync(cache, { recursive: true }).length : 0),
      (files) => files > 300,
      { what: 'it to keep its compiled sources' },
    )
    await server.kill()
  })

  it('refuses to run twice on one data folder, and leaves the first alone', async () => {
    const store = await freshStore('sqlite')
    const first = await startHere(store)
    const second = await runProcess(['start'], { ...store, PORT: '0', LOG_LEVEL: 'error' })
    assert.equal(second.code, 1)
    assert.equal(
      second.err.trim(),
      `Postern already runs on ${store.DATA_DIR}. Stop it first, or set another DATA_DIR.`,
    )
    assert.equal((await new Client(first.url).get('/readyz')).status, 200)
    assert.equal((await first.end()).code, 0)
  })

  it('says which port is taken', async () => {
    const first = await startHere(await freshStore('sqlite'))
    const { port } = new URL(first.url)
    const second = await refusedStart({ ...(await freshStore('sqlite')), PORT: port })
    assert.equal(second.code, 1)
    assert.equal(
      second.err.trim(),
      `Something already listens on 127.0.0.1:${port}. Stop it, or set another PORT.`,
    )
    await first.end()
  })

  it('ends with npm, which does not pass the signal on', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const npm = spawn('npm', ['start'], {
      env: { PATH: process.env.PATH ?? '', HOME: DATA_DIR, DATA_DIR, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    after(() => npm.kill('SIGKILL'))
    const said: string[] = []
    npm.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
    for await (const text of npm.stdout.setEncoding('utf8')) if (/is ready/.test(text)) npm.kill('SIGTERM')
    // Its standard output has ended, so the server has as well.
    assert.match(said.join(''), /Stopping/)
  })

  it('takes a free port by `PORT=0`, and every link and other command names that one', async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    const server = await startProcess({ DATA_DIR, PORT: '0' }, 'test/support/at-terminal.ts')
    const { port } = new URL(server.url)
    assert.notEqual(port, '0')
    for (const line of ['Base URL  ', 'Console   ', 'API docs  '])
      assert.ok(server.out().includes(`${line}http://localhost:${port}`), `${line}: ${server.out()}`)
    const link = /http:\S+\/first-start\?token=\S+/.exec(server.out())?.[0] ?? ''
    assert.equal(new URL(link).port, port)
    assert.equal((await fetch(link)).status, 200)
    const unknown = await fetch(`${server.url}/v1/nothing`)
    assert.match(
      ((await unknown.json()) as { error: { docUrl: string } }).error.docUrl,
      new RegExp(`:${port}/`),
    )
    const invite = ['invite', '--organization', 'Acme', '--email', 'ada@acme.test', '--role', 'administrator']
    const invited = await postern({ env: { DATA_DIR } }, ...invite)
    assert.match(invited.out, new RegExp(`http://localhost:${port}/accept-invitation`))
    assert.equal(await server.end(), 0)
  })

  it('ends the Node that it starts when it is killed itself', {
    skip: process.platform === 'win32',
  }, async () => {
    const { DATA_DIR = '' } = await freshStore('sqlite')
    // Another file than the pinned Node: the program starts that one as its child.
    const other = join(folder, 'another-node')
    linkOrCopy(process.execPath, other)
    const server = await startProcess({ DATA_DIR }, BIN, ['/bin/sh', '-c', 'shift; exec "$0" "$@"', other])
    // Its output ends when the last process that writes to it has ended.
    await server.kill()
    assert.match(server.err(), /Stopping/)
    await assert.rejects(fetch(server.url), 'its port is free')
  })

  it('says that PostgreSQL cannot be reached, without its password', async () => {
    const store = await freshStore('sqlite')
    const { code, err } = await refusedStart({
      ...store,
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
    })
    assert.equal(code, 1)
    assert.match(err, /^PostgreSQL cannot be reached \(ECONNREFUSED 127\.0\.0\.1:1\)\. Check DATABASE_URL/)
    assert.doesNotMatch(err, /hunter2/)
  })
})

/** A second name of a file, or its copy where the folder is on another disk. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

onBothEngines('postern start', (engine) => {
  it('starts again on what a kill -9 left', async () => {
    const store = await freshStore(engine)
    const killed = await startProcess(store)
    const invite = ['invite', '--organization', 'Acme', '--email', 'ada@acme.test', '--json']
    const invited = await postern({ env: store }, ...invite)
    await killed.kill()
    const repeated = await startHere(store)
    const { token } = JSON.parse(invited.out) as { token: string }
    const preview = await new Client(repeated.url).get(`/v1/invitations/preview?token=${token}`)
    assert.equal(preview.status, 200)
    assert.equal((await repeated.end()).code, 0)
  })

  it('refuses another key, and names the fingerprints of both', async () => {
    const store = await freshStore(engine)
    const first = await startHere({ ...store, SECRET_KEY: 'a'.repeat(32) })
    assert.equal((await first.end()).code, 0)
    const second = await refusedStart({ ...store, SECRET_KEY: 'b'.repeat(32) })
    assert.equal(second.code, 1)
    const named = [...second.err.matchAll(/fingerprint ([0-9a-f]{16})/g)].map(
      ([, fingerprint]) => fingerprint,
    )
    assert.equal(new Set(named).size, 2)
    assert.match(second.err, /^The key in SECRET_KEY .* Start with the original key/)
    assert.doesNotMatch(second.err, /bbbb/)
  })

  it('names a key file that is missing instead of making another', async () => {
    const { DATA_DIR: first = '', ...database } = await freshStore(engine)
    const server = await startHere({ ...database, DATA_DIR: first })
    assert.equal((await server.end()).code, 0)
    renameSync(join(first, 'secret.key'), join(first, 'moved.key'))
    const refused = await refusedStart({ ...database, DATA_DIR: first })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /secret\.key does not exist\. Put that file back/)
    renameSync(join(first, 'moved.key'), join(first, 'secret.key'))
    const repeated = await startHere({ ...database, DATA_DIR: first })
    assert.equal((await repeated.end()).code, 0)
  })
})
