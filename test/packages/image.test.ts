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
const runRoot = mkdtempSync('/tmp/postern-podman-')
after(() => {
  for (const one of [folder, runRoot]) rmSync(one, { recursive: true, force: true })
})

let built: Promise<string> | undefined
/** Builds the image, once. @returns its file */
function build(): Promise<string> {
  built ??= run(process.execPath, ['packaging/image.ts', '--out', folder], { timeout: 4 * PATIENCE }).then(
    () => join(folder, String(globSync('*.oci.tar', { cwd: folder })[0])),
  )
  return built
}

/** Why this cannot be tried here; undefined where it can. */
function obstacle(tools: string[]): string | undefined {
  if (!IS_NIGHTLY) return 'at night'
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'runc needs root on Linux'
  const paths = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
  const missing = tools.filter((name) => !paths.some((path) => existsSync(join(path, name))))
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
    const why = obstacle(TOOLS)
    if (why !== undefined) return t.skip(why)
    const archive = await build()
    assert.ok(statSync(archive).size / 1e6 < MOST_MB)
    const [layout, bundle, data] = [join(folder, 'layout'), join(folder, 'bundle'), join(folder, 'data')]
    for (const one of [layout, data]) mkdirSync(one)
    execFileSync('chown', [`${USER}:${USER}`, data])
    await run('tar', ['-xf', archive, '-C', layout])
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

  it('has the name of the recipes where Podman or Docker loads it', async (t) => {
    const why = obstacle(['podman', 'skopeo', 'apt-get', 'dpkg-deb'])
    if (why !== undefined) return t.skip(why)
    const archive = await build()
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    // Podman accepts at most 50 characters for the path of its runtime files.
    const own = ['--root', join(folder, 'podman'), '--runroot', runRoot]
    const podman = (...args: string[]) =>
      run('podman', [...own, '--storage-driver', 'vfs', ...args], { timeout: PATIENCE })
    await podman('load', '--input', archive)
    const { stdout } = await podman('images', '--format', '{{.Repository}}:{{.Tag}}')
    assert.equal(stdout, `docker.io/library/postern:${version}\n`)
    await podman('rmi', `postern:${version}`)
    // Docker without the image store of containerd reads the archive in this form.
    const docker = `docker-archive:${archive}:postern:${version}`
    await run('skopeo', ['--insecure-policy', 'copy', docker, `dir:${join(folder, 'copied')}`], {
      timeout: PATIENCE,
    })
  })
})
