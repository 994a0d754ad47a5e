import { createHash } from 'node:crypto'
import { closureOf } from './closure.ts'
import { type Compiled, ENTRY, FIRST_STYLE, readCompiled, STYLE } from './compiled.ts'

/** The served console. */
export interface ConsoleBuild {
  /** A digest of all files, part of each address: files import one another, so their addresses change together. */
  name: string
  files: Map<string, Buffer>
  /** The import map of the page, for files under `base`. */
  importMap(base: string): string
  /** Modules that the page at a path needs before its first drawing, imports included. */
  preload(path: string): string[]
  /** The style sheet that the page at a path needs before its first drawing. */
  style(path: string): string
  /** The first reads of the screen at a path: the permission and the path of the API for each. */
  firstCalls(path: string): string[]
  /** The columns of the table of screens that the server reads. */
  screens: Compiled['screens']
}

/** The inline script of the page, which runs before the modules are loaded. */
export const EARLY = 'app/early.ts'

/** Reads the compiled console of a package, or compiles the sources of a clone. */
export async function buildConsole(): Promise<ConsoleBuild> {
  const { files, needed, screens, firstCalls, imports } = readCompiled() ?? (await compile())
  const patterns = screens.map(({ path, module }) => ({ path, module, pattern: patternOf(path) }))
  const screenAt = (path: string) => patterns.find(({ pattern }) => pattern.test(path))
  const needs = (name: string) => closureOf(needed, name)
  const first = needs(ENTRY)
  const [overview] = patterns
  const hash = createHash('sha256')
  for (const [name, content] of files) hash.update(name).update('\0').update(content).update('\0')
  return {
    name: hash.digest('hex').slice(0, 12),
    files,
    screens,
    importMap: (base) =>
      JSON.stringify({
        imports: Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, base + file])),
      }),
    style: (path) => (screenAt(path) === overview ? FIRST_STYLE : STYLE),
    firstCalls(path) {
      const screen = screenAt(path)
      const [, part = ''] = screen?.pattern.exec(path) ?? []
      return (firstCalls[screen?.path ?? ''] ?? []).map((call) => call.replace('/:id', `/${part}`))
    },
    preload(path) {
      const screen = screenAt(path)
      return [...new Set([...first, ...(screen === undefined ? [] : needs(screen.module))])]
    },
  }
}

const compile = async () => (await import('./compile-console.ts')).compileConsole()

function patternOf(path: string): RegExp {
  const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)')
  return new RegExp(`^${pattern}$`)
}
