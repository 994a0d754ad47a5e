import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { PATIENCE } from '../support/waits.ts'
import { WALK_SETTINGS, walkThrough, whileItServes } from '../support/walk.ts'

const run = promisify(execFile)

const UNIT = 'packaging/debian/postern.service'
/** The most that the unit may be exposed, as systemd counts; 10 is all. */
const MOST_EXPOSED = 2

const folder = mkdtempSync(join(tmpdir(), 'postern-debian-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const isThere = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((path) => existsSync(join(path, name)))

/** Why this cannot be tried here; undefined where it can. */
function obstacle(...tools: string[]): string | undefined {
  if (!IS_NIGHTLY) return 'at night'
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root on Linux'
  const missing = tools.filter((name) => !isThere(name))
  return missing.length === 0 ? undefined : `${missing.join(', ')} of Debian missing`
}

let built: Promise<string> | undefined
/** Builds the package, once. */
function build(): Promise<string> {
  built ??= run(process.execPath, ['packaging/debian.ts', '--out', folder], { timeout: 4 * PATIENCE }).then(
    () => join(folder, String(globSync('*.deb', { cwd: folder })[0])),
  )
  return built
}

describe('the package of Debian', () => {
  it('has a unit that systemd counts as hardly exposed', async (t) => {
    if (!isThere('systemd-analyze')) return t.skip('systemd is not on this machine')
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT])
    const [, exposed = '10'] = /exposure level for \S+ ([\d.]+)/.exec(stdout) ?? []
    assert.ok(Number(exposed) <= MOST_EXPOSED, String(stdout.split('\n').at(-2)))
  })

  it('has nothing that lintian finds', async (t) => {
    const why = obstacle('lintian', 'dpkg-deb')
    if (why !== undefined) return t.skip(why)
    const file = await build()
    const { stdout = '' } = await run('lintian', ['--allow-root', '--fail-on', 'error,warning', file], {
      timeout: 4 * PATIENCE,
    }).catch((error: { stdout: string }) => error)
    assert.equal(
      stdout
        .split('\n')
        .filter((line) => /^[EW]:/.test(line))
        .slice(0, 20)
        .join('\n'),
      '',
    )
  })

  it('installs into a system of its own, and runs there as its own user', async (t) => {
    const why = obstacle('debootstrap', 'chroot', 'dpkg-deb')
    if (why !== undefined) return t.skip(why)
    const file = await build()
    const root = join(folder, 'root')
    await run(
      'debootstrap',
      ['--variant=minbase', '--include=adduser,libatomic1,libstdc++6', 'bookworm', root],
      { timeout: 10 * PATIENCE, maxBuffer: 2 ** 26 },
    )
    await run('cp', [file, join(root, 'postern.deb')])
    await run('chroot', [root, 'dpkg', '--install', '/postern.deb'], { timeout: PATIENCE })
    assert.equal(statSync(join(root, 'etc/postern.env')).mode & 0o777, 0o640)
    const port = await freePort()
    const settings = {
      ...WALK_SETTINGS,
      NODE_ENV: 'trial',
      PORT: String(port),
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    }
    const env = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    // As the unit does it, and the command `postern` does, which systemd gives no environment.
    const as = ['setpriv', '--reuid=postern', '--regid=postern', '--init-groups', 'env', ...env]
    const server = spawn('chroot', [root, ...as, 'postern', 'start'], { stdio: ['ignore', 'pipe', 'pipe'] })
    await whileItServes(server, async () => {
      await walkThrough({
        url: `http://127.0.0.1:${port}`,
        command: async (...args) =>
          (await run('chroot', [root, ...as, 'postern', ...args], { timeout: PATIENCE })).stdout,
        copy: { to: '/var/lib/postern/copy.db', file: join(root, 'var/lib/postern/copy.db') },
      })
      assert.equal(statSync(join(root, 'var/lib/postern')).mode & 0o777, 0o700)
    })
  })
})
