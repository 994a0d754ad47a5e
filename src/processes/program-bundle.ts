import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MODULE_EXTENSION } from '../core/module-extension.ts'
import type { Program } from './program.ts'

/** What a child is given first: its code, and which file of it to begin with. */
export type ProgramBundle = Buffer

/**
 * A program's code without its types. Done once here, and not in each child, it halves what a child costs to start; and so a
 * child need not be allowed to read it.
 */
export function bundleProgram({ folder, file }: Program): ProgramBundle {
  const paths = globSync(`**/*${MODULE_EXTENSION}`, { cwd: folder }).map((path) => join(folder, path))
  const sources = quietly(() =>
    Object.fromEntries(
      paths.map((path) => [pathToFileURL(path).href, withoutTypes(readFileSync(path, 'utf8'))]),
    ),
  )
  const code = Buffer.from(JSON.stringify({ entry: pathToFileURL(join(folder, file)).href, sources }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(code.length)
  return Buffer.concat([length, code])
}

/** The text of a module as JavaScript, which it already is in a package. */
function withoutTypes(text: string): string {
  return MODULE_EXTENSION === '.ts' ? stripTypeScriptTypes(text) : text
}

/** Node calls it an experiment that it strips types when asked, though it does the same with all that it loads. */
function quietly<T>(work: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}
