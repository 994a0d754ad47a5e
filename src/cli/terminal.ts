import type { ParseArgsOptionDescriptor } from 'node:util'

/** Where a command reads its settings and writes its words. */
export interface Terminal {
  /** undefined: the environment of the process. */
  env: Record<string, string | undefined> | undefined
  /** Whether a person reads along. */
  isInteractive?: boolean
  /** A line of the answer. */
  print(line: string): void
  /** A line about a problem or about progress. */
  complain(line: string): void
}

/** An option, and the line of `postern help` about it. */
export interface Option extends ParseArgsOptionDescriptor {
  about: string
}

export type Options = Record<string, string | boolean | undefined>

export interface Command {
  /** One line of `postern help`. */
  about: string
  usage: string
  options: Record<string, Option>
  /** @returns the exit code */
  run(terminal: Terminal, options: Options): Promise<number>
}

/** What was typed is not understood: the exit code is 2, and the usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
