import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The compiled and bundled console. */
export interface Compiled {
  /** Every file by its served name. */
  files: Map<string, Buffer>
  /** The imports of each file. */
  needed: Map<string, string[]>
  /** The columns of the table of screens that the server reads. */
  screens: readonly { path: string; module: string }[]
  /** The first reads of the screen at a path. */
  firstCalls: Record<string, readonly string[]>
  /** The import map: names that modules import, and the files or folders behind them. */
  imports: Record<string, string>
}

/** The names of the style sheets: the whole, and its parts for the first screen and the others. */
export const STYLE = 'console.css'
export const FIRST_STYLE = 'first.css'

/** The module that a page begins with. */
export const ENTRY = 'app/main.tsx'

/** A package of Postern has the console compiled here; a clone has its sources there. */
const FOLDER = join(import.meta.dirname, '..', '..', 'console')
const TABLE = 'compiled.json'

/** The table in a package: all members except the files. */
type Table = Pick<Compiled, 'screens' | 'firstCalls' | 'imports'> & {
  files: string[]
  needed: [string, string[]][]
}

/** Writes the compiled console to a folder of a package. */
export function writeCompiled(folder: string, { files, needed, ...rest }: Compiled): void {
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const table: Table = { files: [...files.keys()], needed: [...needed], ...rest }
  writeFileSync(join(folder, TABLE), `${JSON.stringify(table)}\n`)
}

/** The compiled console of a package; undefined in a clone. */
export function readCompiled(): Compiled | undefined {
  if (!existsSync(join(FOLDER, TABLE))) return undefined
  const { files, needed, ...rest } = JSON.parse(readFileSync(join(FOLDER, TABLE), 'utf8')) as Table
  return {
    files: new Map(files.map((name) => [name, readFileSync(join(FOLDER, name))])),
    needed: new Map(needed),
    ...rest,
  }
}
