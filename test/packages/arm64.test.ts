import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { emulated, noEmulator } from '../support/emulator.ts'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { PATIENCE } from '../support/waits.ts'
import { WALK_SETTINGS, walkThrough, whileItServes } from '../support/walk.ts'

const run = promisify(execFile)

/** What makes an image and unpacks it; packages of Debian. */
const TOOLS = ['umoci', 'apt-get', 'dpkg-deb']
/** As the image sets it, for a server that the test calls over the loopback of the machine. */
const ENV = {
  ...{ NODE_ENV: 'trial', HOST: '127.0.0.1', DATA_DIR: '/data', HOME: '/data' },
  ...{ PATH: '/usr/sbin:/usr/bin', MALLOC_ARENA_MAX: '2' },
}
const VERSION = /^\d+\.\d+\.\d+\n$/

const folder = mkdtempSync(join(tmpdir(), 'postern-arm64-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'bundle', 'rootfs')

/** Why this cannot be tried here; undefined where it can. */
function obstacle(): string | undefined {
  if (!IS_NIGHTLY) return 'at night'
  const missing = TOOLS.filter((name) => !existsSync(join('/usr/bin', name)))
  return missing.length === 0 ? noEmulator() : `${missing.join(', ')} of Debian missing`
}

/** Builds a package for arm64. @returns the file */
async function built(program: string, files: string): Promise<string> {
  const args = [`packaging/${program}.ts`, '--arch', 'arm64', '--out', folder]
  await run(process.execPath, args, { timeout: 4 * PATIENCE })
  return join(folder, String(globSync(files, { cwd: folder })[0]))
}

/** Starts it in the root of the image, walks through it, and ends it. */
async function serves(name: string, program: string[]): Promise<void> {
  const data = join(folder, name)
  mkdirSync(data, { mode: 0o700, recursive: true })
  const port = await freePort()
  const env = { ...ENV, ...WALK_SETTINGS, PORT: String(port) }
  const words = (...args: string[]) => emulated({ root, data }, ...program, ...args)
  const [file, ...args] = words('start')
  const server = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const { code } = await whileItServes(server, async () => {
    await walkThrough({
      url: `http://127.0.0.1:${port}`,
      command: async (...command) => {
        const [first, ...rest] = words(...command)
        return (await run(first, rest, { env, timeout: PATIENCE })).stdout
      },
      copy: { to: '/data/copy.db', file: join(data, 'copy.db') },
    })
  })
  assert.equal(code, 0)
}

describe('the packages for arm64, by an emulator', { skip: obstacle() ?? false }, () => {
  before(async () => {
    const [archive, layout] = [await built('image', '*.oci.tar'), join(folder, 'layout')]
    mkdirSync(layout)
    await run('tar', ['-xf', archive, '-C', layout])
    const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
    assert.equal(manifests[0].platform.architecture, 'arm64')
    const tag = manifests[0].annotations['org.opencontainers.image.ref.name']
    await run('umoci', ['unpack', '--image', `${layout}:${tag}`, join(folder, 'bundle')], {
      timeout: PATIENCE,
    })
    for (const name of ['dev', 'proc']) mkdirSync(join(root, name), { recursive: true })
  })

  it('run as an image', async () => {
    await serves('image', ['/usr/bin/node', '--max-semi-space-size=16', '/opt/postern/bin/postern.js'])
  })

  it('run as a single executable', async () => {
    const file = await built('executable', 'postern-*-linux-arm64')
    mkdirSync(join(folder, 'executable'), { mode: 0o700 })
    copyFileSync(file, join(folder, 'executable', 'postern'))
    await serves('executable', ['/data/postern'])
  })

  it('run as a package of Debian', async () => {
    const file = await built('debian', '*_arm64.deb')
    const { stdout: architecture } = await run('dpkg-deb', ['--field', file, 'Architecture'])
    assert.equal(architecture, 'arm64\n')
    const data = join(folder, 'debian')
    mkdirSync(data)
    await run('dpkg-deb', ['-x', file, data])
    const program = ['/data/usr/lib/postern/node', '/data/usr/lib/postern/bin/postern.js']
    const [first, ...rest] = emulated({ root, data }, ...program, 'version')
    assert.match((await run(first, rest, { env: ENV, timeout: PATIENCE })).stdout, VERSION)
  })
})
