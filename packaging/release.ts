import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { STABLE } from './archive.ts'
import { ROOT, readManifest } from './lock.ts'
import { PROCESSORS } from './platform.ts'
import { type Artifact, provenanceOf } from './provenance.ts'

/**
 * `npm run release`: every package in one folder, `dist/release/` or the one that is named, with their digests, the bill of
 * materials and the provenance. Where the tools of Debian are missing, neither images, packages of Debian nor the chart are made,
 * and without Python no wheel; it says so.
 */
const out = resolve(process.argv[2] ?? join(ROOT, 'dist', 'release'))
const tools = ['apt-get', 'dpkg-deb']

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
run('build.ts', join(out, 'built'))
for (const folder of [join(out, 'built', 'postern'), join(out, 'built', 'postern-node'), join(ROOT, 'sdk')])
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
writeFileSync(join(out, 'sbom.json'), readFileSync(join(out, 'built', 'postern', 'sbom.json')))
rmSync(join(out, 'built'), { recursive: true })
for (const processor of Object.keys(PROCESSORS)) run('executable.ts', '--arch', processor, '--out', out)
const python = process.env.PYTHON ?? 'python3'
if (isThere(python)) run('wheel.ts', out)
else console.log(`No wheel: ${python} missing.`)
const missing = tools.filter((tool) => !isThere(tool))
if (missing.length > 0)
  console.log(`No image, no package of Debian and no chart: ${missing.join(' and ')} missing.`)
else {
  for (const processor of Object.keys(PROCESSORS))
    for (const program of ['image.ts', 'debian.ts']) run(program, '--arch', processor, '--out', out)
  const chart = execFileSync('tar', [
    ...STABLE,
    '--mode=go=rX',
    '-cf',
    '-',
    '-C',
    join(ROOT, 'deploy', 'helm'),
    'postern',
  ])
  writeFileSync(join(out, `postern-chart-${readManifest().version}.tgz`), gzipSync(chart))
}
const provenance = provenanceOf(artifacts())
if (provenance === undefined) console.log('No provenance: the clone has no commit.')
else writeFileSync(join(out, 'provenance.json'), provenance)
const lines = artifacts().map(({ name, sha256 }) => `${sha256}  ${name}\n`)
writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
process.stdout.write(lines.join(''))

function artifacts(): Artifact[] {
  return globSync('*', { cwd: out })
    .sort()
    .map((name) => ({
      name,
      sha256: createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
    }))
}

function run(program: string, ...args: string[]): void {
  execFileSync(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function isThere(tool: string): boolean {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
