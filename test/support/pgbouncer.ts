import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { until } from './waits.ts'

/** The programs to test with: one that knows no prepared statements (before 1.21), one that does, or both. */
const EXECUTABLES = (process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer').split(',')

/** Each PgBouncer of this machine, with its version. */
export const poolers = EXECUTABLES.filter((path) => existsSync(path)).map((path) => {
  const [, version = ''] =
    /PgBouncer ([\d.]+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? []
  return { path, version }
})

/** The reason why tests behind a pooler are skipped; false with a pooler. */
export const noPooler: string | false =
  poolers.length > 0 ? false : `no PgBouncer at ${EXECUTABLES.join(', ')}; PGBOUNCER names others, by commas`

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A real PgBouncer between a test and its database. */
export interface Pooler {
  /** The database behind it. */
  url: string
  stop(): Promise<void>
}

/**
 * Starts a pooler that assigns a session to each transaction.
 * @param sessions sessions of the server that it shares: the fewer there are, the more often they change hands
 */
export async function startPooler(path: string, databaseUrl: string, sessions: number): Promise<Pooler> {
  const { hostname, port: serverPort, username, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync('/tmp/postern-pgbouncer-')
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  const port = await freePort()
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${serverPort} user=${username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${sessions}`,
      'max_client_conn = 500',
      'query_wait_timeout = 60',
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
    ].join('\n'),
  )
  const child = spawn(path, ['--quiet', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-5_000)
  })
  running.add(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGKILL')
    await gone
    running.delete(child)
    rmSync(folder, { recursive: true, force: true })
  }
  await until(async () => child.exitCode !== null || (await answers(port)), Boolean, {
    what: 'PgBouncer to listen',
  })
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${said}`)
  return { url: `postgres://${username}@127.0.0.1:${port}${pathname}`, stop }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
