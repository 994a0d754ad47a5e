import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { MINUTE } from '#src/core/clock.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { administrator, apiKey } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

const run = promisify(execFile)

/** A release takes four minutes on two processors that do nothing else. */
const PATIENCE = 30 * MINUTE
const TOOLS = ['apt-get', 'dpkg-deb', 'python3', 'git']
/** The versions of Postern and of Node are left out of each name. */
const ARTIFACTS = [
  ...['postern-V-amd64.oci.tar', 'postern-V-arm64.oci.tar', 'postern_V_amd64.deb', 'postern_V_arm64.deb'],
  ...['postern-V-linux-x64', 'postern-V-linux-arm64'],
  ...['postern-V-linux-x64.sbom.json', 'postern-V-linux-arm64.sbom.json'],
  ...['postern-V.tgz', 'postern-node-N.tgz', 'postern-sdk-V.tgz', 'postern-chart-V.tgz'],
  ...['postern_sdk-V-py3-none-any.whl', 'provenance.json', 'sbom.json', 'SHA256SUMS'],
]

const folder = mkdtempSync(join(tmpdir(), 'postern-release-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const missing = TOOLS.filter(
  (tool) => !(process.env.PATH ?? '').split(':').some((path) => existsSync(join(path, tool))),
)
const skip = !IS_NIGHTLY ? 'at night' : missing.length > 0 && `${missing.join(', ')} missing`
const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

/** Packages that are compiled into the console. */
const CONSOLE = ['preact', 'uplot']

interface Named {
  name: string
  version: string
}
const nameOf = ({ name, version }: Named) => `${name}@${version}`

describe('a release', { skip }, () => {
  const server = usePostern('sqlite')
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]

  it('has every package, and is the same when it is made again', { timeout: PATIENCE }, async () => {
    for (const out of [one, two])
      await run(process.execPath, ['packaging/release.ts', out], { timeout: PATIENCE / 2 })
    const names = readdirSync(one).map((name) =>
      name.replace(manifest.version, 'V').replace(process.versions.node, 'N'),
    )
    assert.deepEqual(names.sort(), ARTIFACTS.sort())
    assert.equal(readFileSync(join(two, 'SHA256SUMS'), 'utf8'), readFileSync(join(one, 'SHA256SUMS'), 'utf8'))
  })

  it('names the digest of each of its files', () => {
    const lines = readFileSync(join(one, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    const files = readdirSync(one).filter((name) => name !== 'SHA256SUMS')
    assert.deepEqual(
      lines,
      files.sort().map((name) => `${digestOf(join(one, name))}  ${name}`),
    )
  })

  it('has a provenance that names the commit and the digest of each package', () => {
    const { subject, predicate } = JSON.parse(readFileSync(join(one, 'provenance.json'), 'utf8'))
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
    assert.deepEqual(predicate.buildDefinition.resolvedDependencies[0].digest, { gitCommit: commit })
    const files = readdirSync(one).filter((name) => !['SHA256SUMS', 'provenance.json'].includes(name))
    assert.deepEqual(
      subject.map(({ name, digest }: { name: string; digest: { sha256: string } }) => [name, digest.sha256]),
      files.sort().map((name) => [name, digestOf(join(one, name))]),
    )
  })

  it('has a bill of materials of exactly the packages that run', async () => {
    const place = join(folder, 'packed')
    mkdirSync(place)
    await run('tar', ['-xzf', join(one, `postern-${manifest.version}.tgz`), '-C', place])
    const root = join(place, 'package')
    const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
    const packed = globSync('{node_modules,node_modules/**/node_modules}/{*,@*/*}/package.json', {
      cwd: root,
    })
    const { dependencies } = read('package.json') as { dependencies: Record<string, string> }
    const runs = new Set([
      ...packed.map(read).map(nameOf),
      // npm installs the native packages for each platform, and the console contains compiled packages.
      ...Object.entries(dependencies).map(([name, version]) => nameOf({ name, version })),
      ...CONSOLE.map((name) => nameOf({ name, version: manifest.dependencies[name] })),
    ])
    const { components } = JSON.parse(readFileSync(join(one, 'sbom.json'), 'utf8'))
    assert.deepEqual(components.map(nameOf).sort(), [...runs].sort())
    // Of what the clone names, only what compiles the console is left out.
    const listed = new Set(components.map(({ name }: Named) => name))
    const left = Object.keys(manifest.dependencies).filter((name) => !listed.has(name))
    assert.deepEqual(left, ['oxc-transform'])
  })

  it('has a wheel that a blank environment installs, with which the example of its README runs', async () => {
    const environment = join(folder, 'venv')
    const python = join(environment, 'bin', 'python')
    const [wheel = ''] = readdirSync(one).filter((name) => name.endsWith('.whl'))
    await run('python3', ['-m', 'venv', environment])
    await run(python, ['-m', 'pip', 'install', '--quiet', join(one, wheel)], { timeout: PATIENCE / 6 })
    const { stdout: metadata } = await run('unzip', ['-p', join(one, wheel), '*/METADATA'])
    const [, example = ''] =
      /example: tests\/test_readme\.py runs it -->\n```python\n(.*?)```/s.exec(metadata) ?? []
    assert.match(example, /agents\.run/)
    const postern = await server()
    const env = {
      ...process.env,
      ...{ POSTERN_URL: postern.url, POSTERN_API_KEY: await apiKey(postern, await administrator(postern)) },
    }
    const { stdout } = await run(python, ['-c', example], { env, timeout: PATIENCE / 6 })
    assert.match(stdout, /12 francs/)
  })

  it('has the chart as it is in the clone', async () => {
    const out = join(folder, 'chart')
    mkdirSync(out)
    await run('tar', ['-xzf', join(one, `postern-chart-${manifest.version}.tgz`), '-C', out])
    await run('diff', ['-r', join(out, 'postern'), 'deploy/helm/postern'])
  })
})
