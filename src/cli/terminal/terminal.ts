import type { ParseArgsOptionDescriptor } from 'node:util'

/** The input and output of the command line. */
export interface Console {
  /** undefined: the environment of the process. */
  env: Record<string, string | undefined> | undefined
  /** Whether a person reads the output. */
  isInteractive?: boolean
  /** A line of the answer. */
  print(line: string): void
  /** A line about a problem or about progress. */
  complain(line: string): void
  /** Asks the person at the terminal; undefined without one. */
  ask?(question: string): Promise<string>
  /** As `ask`, without echo. */
  askHidden?(question: string): Promise<string>
  /** Ends the process of the command, although a handle may keep it alive. */
  exit?(code: number): never
}

/** The console as a command gets it. */
export interface Terminal extends Console {
  /** Prints a line for a person; with `--json` it prints nothing. */
  print(line: string): void
  /** Prints a value as one line with `--json`. Each command calls it once. */
  answer(value: object): void
}

/** An option and its line of `postern help`. */
interface Option extends ParseArgsOptionDescriptor {
  about: string
}

export type Options = Record<string, string | boolean | undefined>

export interface Command {
  /** One line of `postern help`. */
  about: string
  usage: string
  /** Words that may follow the name of the command, one at a time. */
  verbs?: readonly string[]
  /** Set where one word follows the name of the command, such as an id. */
  takesWord?: true
  options: Record<string, Option>
  /** @returns the exit code */
  run(terminal: Terminal, options: Options, word?: string): Promise<number>
}

/** The options of every command. */
export const COMMON_OPTIONS: Record<string, Option> = {
  json: { type: 'boolean', default: false, about: 'Prints one line of JSON instead of text.' },
}

/** A wrong command line: the exit code is 2, and the usage is printed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
