import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { PATIENCE } from '../support/waits.ts'
import { WALK_SETTINGS, walkThrough, whileItServes } from '../support/walk.ts'

const run = promisify(execFile)

/** What unpacks an image, and what runs it; packages of Debian. */
const TOOLS = ['umoci', 'runc', 'apt-get', 'dpkg-deb']
const MOST_MB = 110
/** The user of the image. */
const USER = 1000

const folder = mkdtempSync(join(tmpdir(), 'postern-image-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Why this cannot be tried here; undefined where it can. */
function obstacle(): string | undefined {
  if (!IS_NIGHTLY) return 'at night'
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'runc needs root on Linux'
  const paths = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
  const missing = TOOLS.filter((name) => !paths.some((path) => existsSync(join(path, name))))
  return missing.length === 0 ? undefined : `${missing.join(', ')} of Debian missing`
}

interface Mount {
  destination: string
  type?: string
  source?: string
  options?: string[]
}

describe('the image', () => {
  it('runs as its own user on a root that nobody writes to, with what is kept in /data', async (t) => {
    const why = obstacle()
    if (why !== undefined) return t.skip(why)
    await run(process.execPath, ['packaging/image.ts', '--out', folder], { timeout: 4 * PATIENCE })
    const [archive = ''] = globSync('*.oci.tar', { cwd: folder })
    assert.ok(statSync(join(folder, archive)).size / 1e6 < MOST_MB)
    const [layout, bundle, data] = [join(folder, 'layout'), join(folder, 'bundle'), join(folder, 'data')]
    for (const one of [layout, data]) mkdirSync(one)
    execFileSync('chown', [`${USER}:${USER}`, data])
    await run('tar', ['-xf', join(folder, archive), '-C', layout])
    const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
    const tag = manifests[0].annotations['org.opencontainers.image.ref.name']
    await run('umoci', ['unpack', '--image', `${layout}:${tag}`, bundle], { timeout: PATIENCE })
    const config = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'))
    assert.equal(config.process.user.uid, USER)
    assert.ok(config.process.env.includes('NODE_ENV=production'))

    const port = await freePort()
    const settings = { ...WALK_SETTINGS, NODE_ENV: 'trial', HOST: '127.0.0.1', PORT: String(port) }
    config.root.readonly = true
    config.process.terminal = false
    config.process.env.push(...Object.entries(settings).map(([name, value]) => `${name}=${value}`))
    // The test calls it over the loopback of the machine.
    config.linux.namespaces = config.linux.namespaces.filter(
      ({ type }: { type: string }) => !['network', 'cgroup'].includes(type),
    )
    config.linux.resources = undefined
    config.mounts = [
      ...config.mounts.filter(
        ({ destination }: Mount) =>
          !['/sys', '/sys/fs/cgroup', '/etc/resolv.conf', '/data'].includes(destination),
      ),
      { destination: '/data', type: 'bind', source: data, options: ['rbind', 'rw'] },
    ]
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(config))

    const name = `postern-${process.pid}`
    const server = spawn('runc', ['--root', join(folder, 'runc'), 'run', '--bundle', bundle, name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exec = async (...args: string[]) =>
      (await run('runc', ['--root', join(folder, 'runc'), 'exec', name, ...args], { timeout: PATIENCE }))
        .stdout
    await whileItServes(
      server,
      async () => {
        const [node = '', ...args] = config.process.args.slice(0, -1)
        await walkThrough({
          url: `http://127.0.0.1:${port}`,
          command: (...words) => exec(node, ...args, ...words),
          copy: { to: '/data/copy.db', file: join(data, 'copy.db') },
        })
        const blob = manifests[0].digest.replace(':', '/')
        const manifest = JSON.parse(readFileSync(join(layout, 'blobs', blob), 'utf8'))
        const about = JSON.parse(
          readFileSync(join(layout, 'blobs', manifest.config.digest.replace(':', '/')), 'utf8'),
        )
        const [, ...health] = about.config.Healthcheck.Test
        await exec(...health)
        // Every file of the root belongs to the system.
        await assert.rejects(exec('/usr/bin/sh', '-c', 'echo > /opt/postern/x'), /Read-only file system/)
        await assert.rejects(exec('/usr/bin/sh', '-c', 'echo > /tmp/x'), /Read-only file system/)
      },
      () => run('runc', ['--root', join(folder, 'runc'), 'kill', name, 'TERM']).catch(() => {}),
    )
  })
})
