import { createHash } from 'node:crypto'
import { dirname, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { join } from './join.ts'
import { FIRST_STYLE, LIBRARY_NAMES, libraryName, readSources, readStyles, SDK, STYLE } from './sources.ts'

/** The console as this process serves it. */
export interface Edition {
  /** Names what all files hold together: they import one another, so they change their address together. */
  name: string
  files: Map<string, Buffer>
  /** The import map of the page, for files under `base`. */
  importMap(base: string): string
  /** Modules that the page at a path of the console needs before its first drawing, imports included. */
  preload(path: string): string[]
  /** The sheet of style that the page at a path of the console needs before its first drawing. */
  style(path: string): string
  /** What the screen at that path of the console reads first: the permission for it, and the path of the API. */
  firstCalls(path: string): string[]
  /** The table of screens, as far as it concerns the server. */
  screens: readonly { path: string; module: string }[]
}

/** The module that a page begins with. */
export const ENTRY = 'app/main.tsx'
/** The small script that stands in the page, and runs before anything else is there. */
export const EARLY = 'app/early.ts'

/** A module that this many screens need is joined with others: a request for it alone would cost more than its bytes. */
const COMMON = 6

/** A row of `console/app/screens.ts`, as far as the server looks at it. */
interface Row {
  path: string
  load: () => unknown
}

/** Reads and compiles every module, once: some dozens of files, in less time than a request may take. */
export async function makeEdition(): Promise<Edition> {
  const files = await readSources()
  const screens = await readScreens()
  const firstCalls = await readFirstCalls()
  const screenAt = (path: string) => screens.find(({ pattern }) => pattern.test(path))
  const needed = join(files, nameOf, {
    entry: ENTRY,
    screens: screens.map(({ module }) => module),
    common: COMMON,
  })
  const needs = (name: string) => closureOf(needed, name)
  const first = needs(ENTRY)
  const [overview] = screens
  const firstFiles = [...first, ...(overview === undefined ? [] : needs(overview.module))]
  for (const [name, sheet] of readStyles(new Set(firstFiles.flatMap((file) => modulesIn(files, file)))))
    files.set(name, sheet)
  const hash = createHash('sha256')
  for (const [name, content] of files) hash.update(name).update('\0').update(content).update('\0')
  return {
    name: hash.digest('hex').slice(0, 12),
    files,
    screens,
    importMap: (base) =>
      JSON.stringify({
        imports: {
          ...Object.fromEntries(
            LIBRARY_NAMES.filter((name) => files.has(libraryName(name))).map((name) => [
              name,
              base + libraryName(name),
            ]),
          ),
          [SDK]: `${base}sdk/`,
        },
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

/** Reads the console's table of screens, which names the module of each path. */
async function readScreens(): Promise<{ path: string; pattern: RegExp; module: string }[]> {
  const file = pathToFileURL(`${import.meta.dirname}/../../console/app/screens.ts`).href
  const { SCREENS } = (await import(file)) as { SCREENS: Row[] }
  return SCREENS.map(({ path, load }) => {
    const [, module = ''] = /import\(\s*['"]([^'"]+)['"]/.exec(String(load)) ?? []
    const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)')
    return { path, pattern: new RegExp(`^${pattern}$`), module: posix.join('app', module) }
  })
}

/** The console's own table of what screens read first. */
async function readFirstCalls(): Promise<Record<string, readonly string[]>> {
  const file = pathToFileURL(`${import.meta.dirname}/../../console/app/first-calls.ts`).href
  return ((await import(file)) as { FIRST_CALLS: Record<string, readonly string[]> }).FIRST_CALLS
}

/** A file and all that it imports, each once, in the order in which they are found. */
function closureOf(needed: ReadonlyMap<string, string[]>, entry: string): string[] {
  const found = new Set([entry])
  for (const name of found) for (const one of needed.get(name) ?? []) found.add(one)
  return [...found]
}

/** The modules that a joined file holds: each stands under its name. */
function modulesIn(files: ReadonlyMap<string, Buffer>, file: string): string[] {
  return [...String(files.get(file)).matchAll(/^\/\/(\S+)$/gm)].map(([, name = '']) => name)
}

function nameOf(specifier: string, importer: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(importer), specifier)
  return specifier.startsWith(SDK) ? `sdk/${specifier.slice(SDK.length)}` : libraryName(specifier)
}
