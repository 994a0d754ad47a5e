import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readCommands } from '#src/cli/command.ts'
import { loginStore } from '#src/cli/logins.ts'
import { problemsIn } from './support/doctor.ts'
import { freePort } from './support/free-port.ts'
import { close, json } from './support/http-server.ts'
import { openEngine } from './support/older-store.ts'
import { onOneEngineByDay, postern, readyStore } from './support/postern.ts'
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts'
import { type Ended, refusedStart } from './support/start-here.ts'
import { within } from './support/waits.ts'

type Env = Record<string, string>

const folder = mkdtempSync(join(tmpdir(), 'postern-mishaps-'))
const disks: SmallDisk[] = []
const place = (name: string) => join(folder, name)
const [BODY, ACCOUNTS, BACKUP, NEW] = [place('body'), place('accounts'), place('kept.tar'), place('new.tar')]
const TARGET = place('target')
const PASSPHRASE = { BACKUP_PASSPHRASE: 'correct horse battery staple' }
const KEYS = { SECRET_KEY: 'a key of another installation, 32 bytes', NEXT_SECRET_KEY: 'n'.repeat(32) }

/** Words that each command understands, by what the command works with. */
const DATABASE: Record<string, string[]> = {
  start: [],
  migrate: [],
  invite: ['--organization', 'Acme', '--email', 'bob@acme.test'],
  mail: [],
  account: ['--email', 'ada@acme.test', '--disable'],
  'import-accounts': ['--file', ACCOUNTS],
  organizations: ['--rename', 'Acme', '--to', 'Acme Ltd'],
  'platform-key': ['create', '--name', 'Acme', '--scopes', 'all'],
  plan: ['--organization', 'Acme', '--plan', 'team'],
  credits: [],
  'rotate-key': [],
  backup: ['--to', NEW],
  restore: ['--from', BACKUP],
  move: ['--to', `sqlite:${TARGET}`],
  doctor: [],
  clock: ['--advance', '1h'],
}
const SERVER: Record<string, string[]> = {
  login: [],
  logout: [],
  tail: ['--count', '1'],
  listen: ['--forward-to', 'http://127.0.0.1:1/'],
  trigger: ['agent.run.completed'],
  resend: ['dlv_1'],
}
const ALONE: Record<string, string[]> = { verify: ['--body', BODY, '--headers', BODY] }
const ALL = { ...DATABASE, ...SERVER, ...ALONE }

/** The same for all of these commands, but for some. */
const forAll = (commands: object, said: RegExp, others: Record<string, RegExp | 'done'> = {}) => ({
  ...Object.fromEntries(Object.keys(commands).map((name) => [name, said])),
  ...others,
})

before(async () => {
  for (const file of [BODY, ACCOUNTS]) writeFileSync(file, '')
  const made = await postern(
    { env: { ...(await usedStore('sqlite')), ...PASSPHRASE } },
    'backup',
    '--to',
    BACKUP,
  )
  assert.equal(made.code, 0, made.err)
})

after(() => {
  for (const disk of disks) disk.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** A store whose secrets are sealed under its own key. */
async function usedStore(engine: Parameters<typeof readyStore>[0]): Promise<Env> {
  const env = await readyStore(engine)
  const args = ['invite', '--organization', 'Acme', '--email', 'ada@acme.test']
  const { code, err } = await postern({ env }, ...args)
  assert.equal(code, 0, err)
  return env
}

/** The port of this machine on which a server listens from now on. */
async function portOf(server: Server, port = 0): Promise<number> {
  await within('a server to listen', once(server.listen(port, '127.0.0.1'), 'listening'))
  return (server.address() as AddressInfo).port
}

/** A disk over a new folder; undefined where none can be made. */
function diskAt(name: string, kib: number): SmallDisk | undefined {
  mkdirSync(place(name), { mode: 0o700 })
  const disk = mountSmallDisk(place(name), kib)
  if (disk !== undefined) disks.push(disk)
  return disk
}

/** Names of all files below a folder, without those of locks and logs, which readers leave. */
function filesIn(path: string): string[] {
  const names = existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []
  return names.filter((name) => !/^server\.lock|-(wal|shm)$/.test(name)).sort()
}

/** What a command says of what is wrong. The answer of `doctor` is its findings. */
function saidBy(name: string, { out, err }: Ended): string {
  if (name !== 'doctor' || err !== '') return err
  return problemsIn(out)
    .map((line) => line.replace(/^problem +.{13} /, ''))
    .join('\n')
}

/**
 * Runs a command that something is wrong with, and holds it to what holds for all of them.
 * @param said the sentence about it; `done` where the command is not hindered
 */
async function meets(name: string, args: string[], env: Env, said: RegExp | 'done', code = 1): Promise<void> {
  const all = { LOG_LEVEL: 'silent', WORKERS: '1', ...env }
  const running =
    name === 'start' && args.length === 0 ? refusedStart(all) : postern({ env: all }, name, ...args)
  const ended = await within(`postern ${name} to end`, running)
  const words = saidBy(name, ended)
  const what = `${name}: ${JSON.stringify(ended)}`
  if (said === 'done') return assert.deepEqual([ended.code, words], [0, ''], what)
  assert.equal(ended.code, code, what)
  assert.match(words, said, what)
  const [sentence = '', ...others] = words.split('\n').filter((line) => !line.startsWith('migrating: '))
  assert.ok(sentence.length < 420, what)
  // `doctor` names every problem that it finds.
  if (name !== 'doctor') for (const line of others) assert.match(line, /^Usage: |^ {2}- /, what)
  assert.doesNotMatch(
    `${ended.out}${ended.err}`,
    /\n\s+at |cannot start with|\bError:|\[object|undefined/,
    what,
  )
}

/** Runs each named command with a mishap. None may leave a new file, except a backup that succeeds. */
async function all(env: Env, expected: Record<string, RegExp | 'done'>, code?: number): Promise<void> {
  const kept = filesIn(env.DATA_DIR ?? folder)
  for (const [name, said] of Object.entries(expected)) {
    await meets(name, ALL[name] ?? [], env, said, code)
    for (const made of [NEW, TARGET]) {
      assert.equal(existsSync(made), said === 'done' && made === NEW && name === 'backup', `${name}: ${made}`)
      rmSync(made, { force: true })
    }
    assert.deepEqual(filesIn(env.DATA_DIR ?? folder), kept, name)
  }
}

describe('a command that something is wrong with says so in one sentence, with what to do', () => {
  it('and every command of the program is in the table', async () => {
    assert.deepEqual(Object.keys(ALL).sort(), Object.keys(await readCommands()).sort())
  })

  it('an option that it does not know', async () => {
    for (const name of Object.keys(ALL))
      await meets(
        name,
        [...(ALL[name] ?? []), '--nonsense'],
        { DATA_DIR: place('none') },
        new RegExp(`^Unknown option '--nonsense'\\.\nUsage: postern ${name}[^\n]*$`),
        2,
      )
  })

  it('a setting', async () => {
    const { verify: _reads, doctor: _says, ...readers } = ALL
    const problem = 'PORT must be a whole number from 0 to 65535 \\(it is "http"\\)'
    const said = new RegExp(`^These settings must be changed:\n {2}- ${problem}$`)
    const env = { DATA_DIR: place('none'), PORT: 'http', POSTERN_LOGIN_FILE: place('none.json') }
    await all(env, { ...forAll(readers, said), doctor: new RegExp(`^${problem}$`) })
  })

  it('a database that cannot be reached', async () => {
    const said =
      /^PostgreSQL cannot be reached \(ECONNREFUSED 127\.0\.0\.1:1\)\. Check DATABASE_URL .*runs\.$/
    const DATABASE_URL = 'postgres://postern@127.0.0.1:1/postern'
    await all({ DATA_DIR: place('none'), DATABASE_URL, ...PASSPHRASE }, forAll(DATABASE, said))
  })

  it('a DATA_DIR that can only be read', async (context) => {
    const disk = diskAt('protected', 16_384)
    if (disk === undefined) return context.skip('a small disk cannot be made here')
    cpSync((await usedStore('sqlite')).DATA_DIR ?? '', place('protected'), { recursive: true })
    disk.protect()
    const said =
      /^This user may not write \S+(protected|postern\.db|server\.lock)\. Give it the right, or set another DATA_DIR\.$/
    await all(
      { DATA_DIR: place('protected'), PORT: '0', ...PASSPHRASE },
      forAll(DATABASE, said, {
        doctor: new RegExp(`^this user may not write .* or set DATA_DIR\n${said.source.slice(1)}`),
      }),
    )
  })

  it('a folder that an option or a setting names, and that can only be read', async (context) => {
    const disk = diskAt('closed', 64)
    if (disk === undefined) return context.skip('a small disk cannot be made here')
    disk.protect()
    const env = { ...(await usedStore('sqlite')), ...PASSPHRASE }
    const closed = place('closed')
    const may = (to: string) =>
      new RegExp(`^This user may not write into ${closed}\\. Give it the right, or choose another ${to}\\.$`)
    await meets('backup', ['--to', join(closed, 'new.tar')], env, may('--to'))
    await meets('move', ['--to', `sqlite:${closed}`], env, may('--to'))
    const cannot =
      /^--to \S+below cannot be made \(EROFS in \S+\)\. Make it for this user, or set another --to\.$/
    await meets('move', ['--to', `sqlite:${closed}/below`], env, cannot)
    const lock = /^This user may not write \S+server\.lock\. Give it the right, or set another DATA_DIR\.$/
    await meets('restore', ['--from', BACKUP], { ...PASSPHRASE, DATA_DIR: closed }, lock)
    const file = { POSTERN_LOGIN_FILE: join(closed, 'logins.json'), POSTERN_URL: 'http://127.0.0.1:1' }
    const login = /^This user may not write \S+\. Give it the right, or set another POSTERN_LOGIN_FILE\.$/
    await meets('logout', [], file, login)
    assert.deepEqual(filesIn(closed), [])
  })

  it('a disk without room, on which nothing is left that hinders the same command afterwards', async (context) => {
    const env = { ...(await usedStore('sqlite')), ...PASSPHRASE }
    for (const [name, of] of [
      ['migrate', (to: string) => [[], { DATA_DIR: to }]],
      ['invite', (to: string) => [DATABASE.invite, { DATA_DIR: to }]],
      ['backup', (to: string) => [['--to', join(to, 'new.tar')], env]],
      ['restore', (to: string) => [DATABASE.restore, { ...PASSPHRASE, DATA_DIR: to }]],
      ['move', (to: string) => [['--to', `sqlite:${to}`], env]],
    ] as [string, (to: string) => [string[], Env]][]) {
      const disk = diskAt(`full-${name}`, 256)
      if (disk === undefined) return context.skip('a small disk cannot be made here')
      const [args, settings] = of(place(`full-${name}`))
      const said = new RegExp(
        `The disk of ${place(`full-${name}`)}/\\S+ is full \\(\\d+ bytes free\\)\\. .*\\.$`,
      )
      await meets(name, args, settings, said)
      disk.resize(32_768)
      const again = await postern({ env: settings }, name, ...args)
      assert.equal(again.code, 0, `${name}: ${again.err}`)
    }
  })

  it('a link that leads to no server', async () => {
    const env = { ...(await usedStore('sqlite')), PORT: '0' }
    const { code, err } = await postern({ env }, 'invite', ...(DATABASE.invite ?? []))
    assert.deepEqual(
      [code, err],
      [
        0,
        'The link has port 0, because no server was started here: start one, or set BASE_URL, then invite again.',
      ],
    )
  })

  it('a port that is taken', async () => {
    const taken = createServer()
    try {
      const port = await portOf(taken, await freePort())
      const env = { ...(await usedStore('sqlite')), PORT: String(port) }
      await all(env, {
        start: new RegExp(
          `^Something already listens on 127\\.0\\.0\\.1:${port}\\. Stop it, or set another PORT\\.$`,
        ),
      })
    } finally {
      await close(taken)
    }
  })
})

describe('a command that asks a server says in one sentence, with what to do,', () => {
  const file = { POSTERN_LOGIN_FILE: place('logins.json') }
  const key = { POSTERN_API_KEY: 'psk_nobody', ...file }
  const kept = { accessToken: 'a', scope: 'webhooks:read', expiresAt: Number.MAX_SAFE_INTEGER }
  const forgotten =
    /^Forgotten here, but http:\S+ could not be told: end it there, under what you have connected\.$/

  it('that none runs there', async () => {
    const env = { ...key, POSTERN_URL: 'http://127.0.0.1:1' }
    await loginStore(env, env.POSTERN_URL).change(async () => kept)
    const said =
      /^\w+ http:\S+: no answer\. Start Postern there, or name another server by --url or POSTERN_URL\.$/
    await all(env, forAll(SERVER, said, { logout: forgotten }))
  })

  it('that what answers there is not Postern', async () => {
    const other = createServer((_request, response) => response.writeHead(404).end('<h1>Not here</h1>'))
    try {
      const env = { ...key, POSTERN_URL: `http://127.0.0.1:${await portOf(other)}` }
      await loginStore(env, env.POSTERN_URL).change(async () => kept)
      const said = /404.*\. Name the address of Postern by --url or POSTERN_URL\.$/
      await all(env, forAll(SERVER, said, { logout: forgotten }))
    } finally {
      await close(other)
    }
  })

  it('that settings with PORT=0 do not say where it is', async () => {
    const said = /^Port 0 is the address of no server: name it by --url or POSTERN_URL, .*said\.\nUsage: /
    await all({ ...key, PORT: '0' }, forAll(SERVER, said), 2)
  })

  it('that a login cannot be kept, and ends its grant', async (context) => {
    const disk = diskAt('logins', 64)
    if (disk === undefined) return context.skip('a small disk cannot be made here')
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      json(response, {
        ...{ device_code: 'd', user_code: 'u', verification_uri: 'http://localhost/device', interval: 0.01 },
        ...{ access_token: 'a', refresh_token: 'r', expires_in: 600, scope: 'webhooks:read' },
      })
    })
    try {
      const env = {
        POSTERN_URL: `http://127.0.0.1:${await portOf(server)}`,
        POSTERN_LOGIN_FILE: join(place('logins'), 'logins.json'),
      }
      const fill = join(place('logins'), 'fill')
      assert.throws(() => writeFileSync(fill, Buffer.alloc(1_048_576)), { code: 'ENOSPC' })
      const full =
        /\nThe disk of \S+ is full \(0 bytes free\)\. Make room on it, or set another POSTERN_LOGIN_FILE\.$/
      const closed = /\nThis user may not write \S+\. Give it the right, or set another POSTERN_LOGIN_FILE\.$/
      for (const said of [full, closed]) {
        if (said === closed) disk.protect()
        const { code, err } = await postern({ env }, 'login')
        assert.equal(code, 1)
        assert.match(err, said)
        assert.deepEqual(asked.splice(0), ['/oauth/device', '/oauth/token', '/oauth/revoke'])
        assert.deepEqual(filesIn(place('logins')), ['fill'])
      }
    } finally {
      await close(server)
    }
  })
})

onOneEngineByDay('a command that is refused a database says in one sentence, with what to do,', (engine) => {
  it('that the key is another', async () => {
    const env = { ...(await usedStore(engine)), ...KEYS, ...PASSPHRASE, PORT: '0', DEV_CLOCK: 'on' }
    const said =
      /^The key in SECRET_KEY \(fingerprint \w{16}\) is not the one this database was begun with \(fingerprint \w{16}\)\. Start with the original key; .*\.$/
    const { restore: _empty, ...others } = DATABASE
    await all(
      env,
      forAll(others, said, {
        migrate: 'done',
        backup:
          /^The key of this database .* is not the one in these settings, .*: set the key that its server runs with\.$/,
        'rotate-key':
          /^The secrets are sealed under .* Put the key of the secrets into SECRET_KEY\. Nothing was changed\.$/,
        move: /^The key in SECRET_KEY .*: set the key that its server runs with\. Nothing was changed\.$/,
        doctor: /^SECRET_KEY has fingerprint \w+, the database was begun with \w+; use that one$/,
      }),
    )
    const restored = { ...KEYS, ...PASSPHRASE, DATA_DIR: place('none') }
    const another =
      /^The backup is of .* another key .* SECRET_KEY \(\w+\)\. Put the key of the backup there\. Nothing was changed\.$/
    await all(restored, { restore: another })
  })

  it('that another command has it alone', async () => {
    const env = { ...(await usedStore(engine)), ...PASSPHRASE, PORT: '0' }
    const first = openEngine(env)
    try {
      await first.claimAlone('postern move')
      const said =
        /^"postern move" is at work on .* since \S+Z(?: \(process \d+\))?\. Wait until it has ended, then try again\.$/
      await all(env, { start: said, 'rotate-key': said, move: said, backup: 'done' })
    } finally {
      await first.close()
    }
  })
})
