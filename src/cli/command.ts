import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { ApiError } from '../core/errors.ts'
import { invite } from './invite.ts'
import { start } from './start.ts'

/** Where a command reads its settings and writes its words. */
export interface Terminal {
  env: Record<string, string | undefined>
  /** A line of the answer. */
  print(line: string): void
  /** A line about a problem or about progress. */
  complain(line: string): void
}

export interface Command {
  /** One line of `postern help`. */
  about: string
  usage: string
  options: ParseArgsOptionsConfig
  /** @returns the exit code */
  run(terminal: Terminal, options: Record<string, string | boolean | undefined>): Promise<number>
}

const COMMANDS: Record<string, Command> = { start, invite }

const PROCESS_TERMINAL: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
}

/**
 * Runs `postern <command> …`.
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export async function runCommand(args: string[], terminal: Terminal = PROCESS_TERMINAL): Promise<number> {
  const [name = 'help', ...rest] = args
  if (name === 'help' || name === '--help' || name === '-h') return help(terminal)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    terminal.complain(`There is no command "${name}".`)
    help({ ...terminal, print: terminal.complain })
    return 2
  }
  try {
    const { values } = parseArgs({ args: rest, options: command.options, strict: true })
    return await command.run(terminal, values as Record<string, string | boolean | undefined>)
  } catch (error) {
    return explain(error, command, terminal)
  }
}

function explain(error: unknown, command: Command, terminal: Terminal): number {
  const problem = error as Error & { code?: string }
  if (problem.code?.startsWith('ERR_PARSE_ARGS')) {
    terminal.complain(`${problem.message}\nUsage: ${command.usage}`)
    return 2
  }
  if (error instanceof ConfigError) {
    terminal.complain('Postern cannot start with these settings:')
    for (const line of error.problems) terminal.complain(`  - ${line}`)
    return 1
  }
  if (error instanceof ApiError) {
    terminal.complain(`${error.message} (${error.code}) ${JSON.stringify(error.details)}`)
    return 1
  }
  terminal.complain(problem.message || String(error))
  return 1
}

function help(terminal: Terminal): number {
  terminal.print('Postern: an invitation-only platform API with signed webhooks, in one process.\n')
  for (const { usage, about } of Object.values(COMMANDS)) terminal.print(`  ${usage}\n      ${about}`)
  terminal.print('\nSettings are environment variables; README.md lists them.')
  return 0
}
