import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MODULE_EXTENSION } from '../core/module-extension.ts'
import type { Program } from './program.ts'

/** The code of a child and the name of its entry file, in the form that `bootstrap.cjs` reads. */
export type ProgramBundle = Buffer

/**
 * Bundles the code of a program without its types. Stripping the types once in the parent halves the start of a child, and the child
 * needs no right to read the code.
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

/** The text of a module as JavaScript; in a package it is JavaScript already. */
function withoutTypes(text: string): string {
  return MODULE_EXTENSION === '.ts' ? stripTypeScriptTypes(text) : text
}

/** Suppresses the warning that `stripTypeScriptTypes` is experimental: Node itself loads modules by it. */
function quietly<T>(work: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}
