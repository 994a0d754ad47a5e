import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { turn } from '../core/clock.ts'
import { compile } from './compile.ts'
import { FIRST_STYLE, STYLE } from './compiled.ts'
import { minify } from './minify.ts'
import { withRoutes } from './operations.ts'

/** The root of the package: `console/` is beside `src/`. */
const ROOT = join(import.meta.dirname, '..', '..')

/** The folders of modules with their served names. */
const FOLDERS = [
  { folder: 'console', as: '' },
  { folder: 'sdk/src', as: 'sdk/' },
]

/** Libraries by the name that modules import them by; each is one file. */
const LIBRARIES: Record<string, { file: string; suffix?: string }> = {
  preact: { file: 'preact/dist/preact.mjs' },
  'preact/hooks': { file: 'preact/hooks/dist/hooks.mjs' },
  'preact/jsx-runtime': { file: 'preact/jsx-runtime/dist/jsxRuntime.mjs' },
  // Its own module is not minified; the script that is defines one name.
  uplot: { file: 'uplot/dist/uPlot.iife.min.js', suffix: '\nexport default uPlot\n' },
}

/** Style layers, each overridden by the next; files of a folder are ordered by name. */
const STYLES = ['styles/tokens.css', 'styles/base.css', 'app/*.css', 'parts/*.css', 'screens/**/*.css']

/** The style sheet of all screens except the first. */
const REST_STYLE = 'rest.css'
/** Prefix of the names under which the SDK's modules are imported. */
export const SDK = '#sdk/'

/** The name under which a library is served. */
export function libraryName(specifier: string): string {
  return `vendor/${specifier.replaceAll('/', '-')}.js`
}

export const LIBRARY_NAMES = Object.keys(LIBRARIES)

/**
 * All files of the console, compiled for browsers, by the name under which they are served. The event loop gets a turn after each
 * file.
 */
export async function readSources(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const { folder, as } of FOLDERS) {
    for (const name of globSync('**/*.{ts,tsx,svg}', { cwd: join(ROOT, folder) }).sort()) {
      if (/\.d\.ts$|\.test\.tsx?$/.test(name)) continue
      await turn()
      const path = name.replaceAll('\\', '/')
      const source = readFileSync(join(ROOT, folder, name))
      files.set(
        `${as}${path}`,
        path.endsWith('.svg') ? source : served(folder, path, source.toString('utf8')),
      )
    }
  }
  for (const [specifier, { file, suffix = '' }] of Object.entries(LIBRARIES)) {
    const source = readFileSync(resolveLibrary(file), 'utf8').replace(
      /\n?\/\/# sourceMappingURL=.*\s*$/,
      '\n',
    )
    files.set(libraryName(specifier), Buffer.from(source + suffix))
  }
  return files
}

function served(folder: string, path: string, source: string): Buffer {
  const code = minify(compile(`${folder}/${path}`, source))
  return Buffer.from(folder === 'console' ? withRoutes(path, code) : code)
}

/**
 * The sheets of style by their names.
 * @param first the modules of the frame and the first screen: a sheet belongs to the part or the area beside which it stands
 */
export function readStyles(first: ReadonlySet<string>): Map<string, Buffer> {
  const names = STYLES.flatMap((pattern) => globSync(pattern, { cwd: join(ROOT, 'console') }).sort()).map(
    (name) => name.replaceAll('\\', '/'),
  )
  const areas = new Set([...first].map((name) => /^screens\/[^/]+\//.exec(name)?.[0]))
  const isFirst = (name: string) => {
    if (name.startsWith('parts/')) return first.has(name.replace(/css$/, 'tsx'))
    return !name.startsWith('screens/') || areas.has(/^screens\/[^/]+\//.exec(name)?.[0])
  }
  return new Map([
    [STYLE, styleOf(names)],
    [FIRST_STYLE, styleOf(names.filter(isFirst))],
    [REST_STYLE, styleOf(names.filter((name) => !isFirst(name)))],
  ])
}

function styleOf(names: readonly string[]): Buffer {
  const cwd = join(ROOT, 'console')
  // Comments and indentation are removed; no text in the sheets contains either.
  const texts = names.map((name) => readFileSync(join(cwd, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''))
  return Buffer.from(texts.join('\n').replace(/\n\s*/g, '\n').replace(/ \{\n/g, '{').replace(/;\n/g, ';'))
}

/** npm installs a library beside Postern, or above where Postern is a dependency. */
function resolveLibrary(file: string): string {
  const [name = ''] = file.split('/')
  const main = createRequire(import.meta.url).resolve(name)
  const at = main.lastIndexOf(join('node_modules', name))
  return join(main.slice(0, at), 'node_modules', file)
}
