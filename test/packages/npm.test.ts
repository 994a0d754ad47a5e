import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { digestOf } from '../../packaging/digest.ts'
import { readLock } from '../../packaging/lock.ts'
import { freePort } from '../support/free-port.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { type Registry, startRegistry } from '../support/registry.ts'
import { PATIENCE } from '../support/waits.ts'
import { WALK_SETTINGS, walkThrough, whileItServes } from '../support/walk.ts'

const run = promisify(execFile)

/** Programs as a person has them, who has no clone: without those that npm has installed for it. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes(`node_modules${sep}.bin`) && !folder.includes('node-gyp-bin'))
  .join(delimiter)
/** The same on a machine whose Node is as new as Postern needs. */
const RECENT_PATH = `${join(process.execPath, '..')}${delimiter}${PATH}`
/** Megabytes of an installation without a Node. */
const MOST_MB = 130

const folder = mkdtempSync(join(tmpdir(), 'postern-npm-'))
const built = join(folder, 'built')
let registry: Registry | undefined
after(async () => {
  await registry?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** npm in a blank folder, as a person calls it. */
const npm = (cwd: string, path: string, ...args: string[]) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd,
    timeout: PATIENCE,
    env: { PATH: path, HOME: process.env.HOME ?? folder, npm_config_registry: registry?.url ?? '' },
  })

const build = (to: string) => run(process.execPath, ['packaging/build.ts', to], { timeout: PATIENCE })
const versionOf = async (path: string) =>
  (await run('node', ['--version'], { env: { PATH: path } })).stdout.trim().slice(1)

function sizeOf(inside: string): number {
  const files = globSync('**/*', { cwd: inside }).map((name) => statSync(join(inside, name)))
  return files.filter((one) => one.isFile()).reduce((sum, { size }) => sum + size, 0) / 2 ** 20
}

/** Links what an unpacked package names and does not bundle, because it is made for one platform, from this clone at the same version. */
function linkUnpacked(unpacked: string): void {
  const { dependencies, bundleDependencies } = JSON.parse(
    readFileSync(join(unpacked, 'package.json'), 'utf8'),
  )
  for (const [name, version] of Object.entries(dependencies)) {
    if (bundleDependencies.includes(name)) continue
    const to = join(unpacked, 'node_modules', name)
    const from = join(import.meta.dirname, '..', '..', 'node_modules', name)
    assert.equal(JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version, version, name)
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(from, to, 'junction')
  }
}

describe('the tree of the packages', () => {
  before(() => build(built))

  it('is the same wherever it is built', async (t) => {
    if (!IS_NIGHTLY) return t.skip('at night')
    const again = join(folder, 'built-again')
    await build(again)
    assert.equal(digestOf(join(again, 'postern')), digestOf(join(built, 'postern')))
    rmSync(again, { recursive: true })
  })

  it('holds what runs, and nothing else: no types, no tests, nothing of one platform', () => {
    const tree = join(built, 'postern')
    const files = globSync('**/*', { cwd: tree }).map((name) => name.replaceAll('\\', '/'))
    assert.deepEqual(
      files.filter((name) => /\.d\.[mc]?ts$|\.test\.|\.map$|\.node$|oxc-|\/preact\//.test(name)),
      [],
    )
    const typescript = files.filter((name) => /\.tsx?$/.test(name) && !name.startsWith('console/'))
    assert.deepEqual(typescript, [])
    assert.ok(
      files.includes('src/processes/bootstrap.cjs') &&
        files.includes('LICENSE') &&
        files.includes('docs/settings.md'),
    )
  })

  it('has each of its files that a recipe names, wherever a package puts it', () => {
    const tree = join(built, 'postern')
    const recipes = globSync(['deploy/**/*', 'packaging/**/*', 'docs/install.md'], { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const named = recipes.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\/(?:opt|usr\/lib)\/postern\/([\w./-]+\.\w+)/g)].map(
        ([, path = '']) => ({ file, path }),
      ),
    )
    assert.ok(named.length >= 6, `${named.length}`)
    assert.deepEqual(
      named.filter(({ path }) => !existsSync(join(tree, path))),
      [],
    )
  })

  it('lacks nothing of other packages that a file of them names', () => {
    const tree = join(built, 'postern')
    const lacking = globSync('node_modules/**/*.{js,cjs,mjs}', { cwd: tree }).flatMap((file) => {
      if (statSync(join(tree, file)).isDirectory()) return []
      const code = readFileSync(join(tree, file), 'utf8')
      const named = [...code.matchAll(/(?:\brequire\(|\bfrom\s*|\bimport\()\s*['"](\.[^'"]+)['"]/g)].filter(
        ([, name = '']) => !/types$|\.d\.ts$/.test(name),
      )
      return named.flatMap(([, name = '']) => {
        const path = join(dirname(file), name)
        const isAt = (root: string) =>
          ['', '.js', '.cjs', '.mjs', '.json', '/index.js'].some((ending) =>
            existsSync(join(root, path + ending)),
          )
        return isAt('.') && !isAt(tree) ? [`${file}: ${name}`] : []
      })
    })
    assert.deepEqual(lacking, [])
  })

  it('says of what it is made: a bill of materials and a list of licences, both from the lock file', () => {
    const tree = join(built, 'postern')
    const bill = JSON.parse(readFileSync(join(tree, 'sbom.json'), 'utf8'))
    assert.equal(bill.bomFormat, 'CycloneDX')
    const billed = new Set<string>(
      bill.components.map(({ name, version }: Record<string, string>) => `${name} ${version}`),
    )
    const packages = globSync('node_modules/**/package.json', { cwd: tree }).map((name) =>
      JSON.parse(readFileSync(join(tree, name), 'utf8')),
    )
    const there = packages.flatMap(({ name, version }) =>
      version === undefined ? [] : [`${name} ${version}`],
    )
    assert.ok(there.length > 100)
    assert.deepEqual(
      there.filter((one) => !billed.has(one)),
      [],
    )
    const locked = new Set([...readLock().values()].map(({ name, version }) => `${name} ${version}`))
    assert.deepEqual(
      [...billed].filter((one) => !locked.has(one)),
      [],
    )
    const refs = new Set(bill.components.map((one: Record<string, string>) => one['bom-ref']))
    for (const { dependsOn } of bill.dependencies) for (const one of dependsOn) assert.ok(refs.has(one), one)
    const list = readFileSync(join(tree, 'THIRD-PARTY.md'), 'utf8')
    for (const one of billed) assert.ok(list.includes(`| ${one.split(' ').join(' | ')} |`), one)
    assert.doesNotMatch(list, /unknown/)
  })
})

describe('the package of npm', () => {
  /** npm's cache has what `npm ci` brought; what it lacks comes over the network. */
  let missing = ''
  const [blank, recent] = [join(folder, 'blank'), join(folder, 'recent')]
  const places = [
    [blank, PATH],
    [recent, RECENT_PATH],
  ] as const
  /**
   * By day npm packs the tree without what it bundles, which takes it most of the time; that is put back beside the unpacked part,
   * and the pinned Node starts it. At night npm packs all of it and installs it.
   */
  const place = IS_NIGHTLY ? blank : join(folder, 'package')
  const [program = '', ...first] = IS_NIGHTLY
    ? ['npx', '--no-install', 'postern']
    : [process.execPath, join('bin', 'postern.js')]

  before(async () => {
    if (!existsSync(built)) await build(built)
    const packages = IS_NIGHTLY ? ['postern', 'postern-node'] : ['postern']
    const bundled = join(folder, 'bundled')
    if (!IS_NIGHTLY) renameSync(join(built, 'postern', 'node_modules'), bundled)
    registry = await startRegistry(
      packages.map((name) => join(built, name)),
      folder,
    )
    if (!IS_NIGHTLY) {
      await run('tar', ['-xzf', registry.tarballs.postern ?? '', '-C', folder], { timeout: PATIENCE })
      assert.ok(!existsSync(join(place, 'node_modules')))
      renameSync(bundled, join(place, 'node_modules'))
      linkUnpacked(place)
      return
    }
    for (const [one] of places) {
      mkdirSync(one)
      writeFileSync(join(one, 'package.json'), '{"private":true}')
    }
    const installed = await Promise.all(
      places.map(([cwd, path]) => npm(cwd, path, 'install', registry?.tarballs.postern ?? '')),
    ).catch((error: { stderr?: string }) => String(error.stderr ?? error))
    if (typeof installed !== 'string') return
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|network/.test(installed))
      throw new Error(installed)
    missing = `npm lacks a package in its cache, and the network: ${installed}`
  })

  it('runs outside of a clone, by what is packed alone', async (t) => {
    if (missing !== '') return t.skip(missing)
    const port = await freePort()
    const env = {
      PATH,
      HOME: folder,
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      ...WALK_SETTINGS,
    }
    const server = spawn(program, [...first, 'start'], {
      cwd: place,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await whileItServes(server, async () => {
      await walkThrough({
        url: `http://127.0.0.1:${port}`,
        command: async (...args) => {
          const { stdout } = await run(program, [...first, ...args], {
            cwd: place,
            env,
            timeout: PATIENCE,
          })
          return stdout
        },
        copy: { to: join(folder, 'copy.db'), file: join(folder, 'copy.db') },
      })
    })
  })

  it('brings a Node where the one of the machine is too old, and no other one', async (t) => {
    if (!IS_NIGHTLY) return t.skip('at night')
    if (missing !== '') return t.skip(missing)
    const carries = (cwd: string) => globSync('node_modules/node-{bin-,}*/bin/node*', { cwd }).length > 0
    const [major = 0, minor = 0] = (await versionOf(PATH)).split('.').map(Number)
    assert.equal(carries(blank), major < 24 || (major === 24 && minor < 15))
    assert.ok(!carries(recent))
    assert.ok(sizeOf(recent) < MOST_MB, `${sizeOf(recent).toFixed(0)} MB`)
    const { stdout } = await run('npx', ['--no-install', 'postern', 'version'], {
      cwd: recent,
      env: { PATH: RECENT_PATH, HOME: folder },
    })
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })
})
