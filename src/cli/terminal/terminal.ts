import type { ParseArgsOptionDescriptor } from 'node:util'

/** Where the command line reads its settings and writes its lines. */
export interface Console {
  /** undefined: the environment of the process. */
  env: Record<string, string | undefined> | undefined
  /** Whether a person reads along. */
  isInteractive?: boolean
  /** A line of the answer. */
  print(line: string): void
  /** A line about a problem or about progress. */
  complain(line: string): void
  /** Asks the person at the terminal; undefined where no person can answer. */
  ask?(question: string): Promise<string>
  /** As `ask`, for what must not be seen. */
  askHidden?(question: string): Promise<string>
  /** Ends what runs the command, which something may keep alive; by default the process. */
  exit?(code: number): never
}

/** What a command is given of it. */
export interface Terminal extends Console {
  /** Words for a person; with `--json` there are none. */
  print(line: string): void
  /** What `--json` prints, on one line. Each command answers once. */
  answer(value: object): void
}

/** An option, and the line of `postern help` about it. */
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

/** What every command takes. */
export const COMMON_OPTIONS: Record<string, Option> = {
  json: { type: 'boolean', default: false, about: 'One line of JSON instead of words.' },
}

/** What was typed is not understood: the exit code is 2, and the usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
