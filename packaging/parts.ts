import { cpSync, globSync, rmSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { type Locked, ROOT } from './lock.ts'

/** What a package needs to run is kept; its types, maps, sources in TypeScript and documents are not. Licences and notices always are. */
const KEPT_ALWAYS = /^(licen[cs]e|notice|copying|patents)/i
const LEFT_OUT =
  /\.test\.js$|\.(ts|mts|cts|tsx|sh|map|md|markdown|flow|tsbuildinfo|html|yml|yaml|coffee)$|^\.|^(tsconfig|tslint|biome|eslint\.config|rollup\.config|webpack)\b/i
/** At the top of a package. */
const LEFT_OUT_FOLDERS = new Set(
  '.github .vscode benchmark benchmarks bench coverage doc docs example examples fixtures man test tests __tests__ typings'.split(
    ' ',
  ),
)

/** Of packages that hold several builds or more than Postern uses: what is kept of them. */
const KEPT_ONLY: Record<string, RegExp> = {
  // Text alone is read: by the build for older engines, which Node takes, with its tables of characters.
  'pdfjs-dist': /^(package\.json|LICENSE|legacy\/build\/pdf(\.worker)?\.mjs|cmaps\/.*)$/,
  // The same as `build/`, each in one file.
  jschardet: /^(package\.json|LICENSE|build\/.*\.(js|cjs))$/,
}

/** Packages that hold each module twice: what `import` takes of them is kept, without what is tried out. Of `api` others take the other half. */
const MODULES_ONLY = /^@opentelemetry\/(?!api$)/
const MODULE = /(^package\.json|^LICENSE|\.mjs)$/i
const TRIED_OUT = /\/(experimental_|index-incubating|browser\/)/

/** Copies what runs of an installed package, without the packages in it, to the same path below `folder`. */
export function copyPackage({ path, name }: Locked, folder: string): void {
  const source = join(ROOT, path)
  cpSync(source, join(folder, path), {
    recursive: true,
    filter: (file) => isKept(name, relative(source, file).replaceAll('\\', '/'), file),
  })
  removeEmptyFolders(join(folder, path))
}

/** Removes the code of a copied package, because the bundle has it. The manifest and the licence stay. */
export function leaveLicence({ path }: Locked, folder: string): void {
  const copy = join(folder, path)
  for (const file of globSync('**/*', { cwd: copy, exclude: (name) => name === 'node_modules' }))
    if (file !== 'package.json' && !KEPT_ALWAYS.test(basename(file)) && statSync(join(copy, file)).isFile())
      rmSync(join(copy, file))
  removeEmptyFolders(copy)
}

function isKept(name: string, file: string, full: string): boolean {
  if (file === '') return true
  const parts = file.split('/')
  const last = parts.at(-1) ?? ''
  if (parts.includes('node_modules')) return false
  if (statSync(full).isDirectory())
    return !last.startsWith('.') && (parts.length > 1 || !LEFT_OUT_FOLDERS.has(last))
  if (MODULES_ONLY.test(name)) return MODULE.test(file) && !TRIED_OUT.test(file)
  const only = KEPT_ONLY[name]
  if (only !== undefined) return only.test(file)
  return KEPT_ALWAYS.test(last) || !LEFT_OUT.test(last)
}

function removeEmptyFolders(folder: string): void {
  const folders = globSync('**/', { cwd: folder }).sort((a, b) => b.length - a.length)
  for (const one of folders)
    if (one !== '.' && globSync('*', { cwd: join(folder, one) }).length === 0)
      rmSync(join(folder, one), { recursive: true })
}
