import { dirname, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from './bundle.ts'
import { closureOf } from './closure.ts'
import { type Compiled, ENTRY } from './compiled.ts'
import { LIBRARY_NAMES, libraryName, readSources, readStyles, SDK } from './sources.ts'

/** A module that this many screens import is joined with others, because a request costs more than its bytes. */
const COMMON = 6

/** The columns of a row of `console/app/screens.ts` that the server reads. */
interface Row {
  path: string
  load: () => unknown
}

/** Compiles the sources of the console: some dozens of files, within the time of a request. */
export async function compileConsole(): Promise<Compiled> {
  const files = await readSources()
  const screens = await readScreens()
  const needed = bundle(files, nameOf, {
    entry: ENTRY,
    screens: screens.map(({ module }) => module),
    common: COMMON,
  })
  const [overview] = screens
  const first = [ENTRY, ...(overview === undefined ? [] : [overview.module])]
  const firstFiles = first.flatMap((name) => closureOf(needed, name))
  for (const [name, sheet] of readStyles(new Set(firstFiles.flatMap((file) => modulesIn(files, file)))))
    files.set(name, sheet)
  const libraries = LIBRARY_NAMES.filter((name) => files.has(libraryName(name)))
  return {
    files,
    needed,
    screens,
    firstCalls: await readFirstCalls(),
    imports: { ...Object.fromEntries(libraries.map((name) => [name, libraryName(name)])), [SDK]: 'sdk/' },
  }
}

/** Reads the console's table of screens, which names the module of each path. */
async function readScreens(): Promise<{ path: string; module: string }[]> {
  const { SCREENS } = (await import(sourceOf('screens'))) as { SCREENS: Row[] }
  return SCREENS.map(({ path, load }) => {
    const [, module = ''] = /import\(\s*['"]([^'"]+)['"]/.exec(String(load)) ?? []
    return { path, module: posix.join('app', module) }
  })
}

/** Reads the console's table of the first reads of screens. */
async function readFirstCalls(): Promise<Record<string, readonly string[]>> {
  return ((await import(sourceOf('first-calls'))) as { FIRST_CALLS: Record<string, readonly string[]> })
    .FIRST_CALLS
}

const sourceOf = (name: string) => pathToFileURL(`${import.meta.dirname}/../../console/app/${name}.ts`).href

/** The names of the modules in a joined file. */
function modulesIn(files: ReadonlyMap<string, Buffer>, file: string): string[] {
  return [...String(files.get(file)).matchAll(/^\/\/(\S+)$/gm)].map(([, name = '']) => name)
}

function nameOf(specifier: string, importer: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(importer), specifier)
  return specifier.startsWith(SDK) ? `sdk/${specifier.slice(SDK.length)}` : libraryName(specifier)
}
