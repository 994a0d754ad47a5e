import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { constants, zstdCompressSync } from 'node:zlib'
import { billOfMaterials } from './bill.ts'
import { closureOf, ROOT, readLock, readManifest } from './lock.ts'
import { installTree, PROCESSORS, type Processor } from './platform.ts'
import { makeTree, NATIVE, productionPackages } from './tree.ts'

/**
 * `npm run executable`: the tree and a Node in one file for Linux, by Node's own build of single executables, and its bill of
 * materials beside it.
 */
const LEVEL = 12
const MAIN = 'main.cjs'

const { values } = parseArgs({
  options: { arch: { type: 'string', default: 'x64' }, out: { type: 'string', default: join(ROOT, 'dist') } },
})
const processor = values.arch as Processor
if (!(processor in PROCESSORS)) throw new Error(`--arch is one of ${Object.keys(PROCESSORS).join(', ')}`)
const { version } = readManifest()
const out = resolve(values.out)
const work = mkdtempSync(join(tmpdir(), 'postern-executable-'))
try {
  await makeTree(join(work, 'made'))
  const tree = join(work, 'tree')
  installTree(join(work, 'made'), tree, join(work, 'node'), processor)
  for (const name of ['docs', 'CHANGELOG.md', 'sbom.json']) rmSync(join(tree, name), { recursive: true })
  const bill = billOf(processor)
  writeFileSync(join(tree, 'sbom.json'), bill)
  // An `import()` in what the executable begins with sees the executable alone.
  writeFileSync(join(tree, 'bin', 'enter.cjs'), "import('../src/main.js')\n")
  packTree(tree)
  mkdirSync(out, { recursive: true })
  const file = join(out, `postern-${version}-linux-${processor}`)
  copyFileSync(join(import.meta.dirname, 'executable', MAIN), join(work, MAIN))
  writeFileSync(join(work, 'sea.json'), JSON.stringify(configurationOf(file)))
  execFileSync(process.execPath, ['--build-sea', join(work, 'sea.json')], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(`${file}.sbom.json`, bill)
  console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The build writes the path of `main` into the file as it is given, and no other: a whole one would be that of this clone. */
function configurationOf(file: string): object {
  return {
    main: MAIN,
    executable: join(work, 'node'),
    output: file,
    disableExperimentalSEAWarning: true,
    // The variable NODE_OPTIONS is another program's; `--node-options` is for this one.
    execArgvExtension: 'cli',
    assets: { 'index.json': join(work, 'index.json'), 'tree.zst': join(work, 'tree.zst') },
  }
}

/** Writes the contents of all files, one behind the other, and what each of them is. */
function packTree(tree: string): void {
  const paths = globSync('**/*', { cwd: tree })
    .filter((path) => statSync(join(tree, path)).isFile())
    .sort()
  const contents = paths.map((path) => readFileSync(join(tree, path)))
  const files = contents.map((content, index) => [
    paths[index],
    content.length,
    createHash('sha256').update(content).digest('base64url'),
  ])
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex')
  writeFileSync(
    join(work, 'index.json'),
    JSON.stringify({ name: `${version}-${digest.slice(0, 32)}`, files }),
  )
  const compressed = zstdCompressSync(Buffer.concat(contents), {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  })
  writeFileSync(join(work, 'tree.zst'), compressed)
}

/** What the tree is made of, and what this file has beside it: Node, and the native packages of its platform. */
function billOf(one: Processor): string {
  const lock = readLock()
  const carried = [`node-linux-${one}`, ...NATIVE.map((name) => `${name}-linux-${one}-gnu`)]
  const compiledIn = closureOf(lock, ['preact', 'uplot'])
  return billOfMaterials([...productionPackages(lock), ...compiledIn, ...closureOf(lock, carried)], lock)
}
