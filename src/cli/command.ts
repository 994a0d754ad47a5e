import { parseArgs } from 'node:util'
import { VERSION } from '../version.ts'
import { account } from './account.ts'
import { backup } from './backup.ts'
import { credits } from './credits.ts'
import { doctor } from './doctor.ts'
import { explain } from './explain.ts'
import { invite } from './invite.ts'
import { mail } from './mail.ts'
import { plan } from './plan.ts'
import { rotateKey } from './rotate-key.ts'
import { start } from './start.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal.ts'

export const COMMANDS: Record<string, Command> = {
  start,
  invite,
  mail,
  account,
  plan,
  credits,
  'rotate-key': rotateKey,
  backup,
  doctor,
}

/** The terminal, or the pipe, of this process. */
function processTerminal(): Terminal {
  // `postern mail | head` ends the pipe before the last line; nobody misses the rest.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return {
    env: undefined,
    isInteractive: process.stdout.isTTY === true,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
  }
}

/**
 * Runs `postern <command> …`.
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export async function runCommand(args: string[], terminal: Terminal = processTerminal()): Promise<number> {
  const [name = 'help', ...rest] = args
  if (['help', '--help', '-h'].includes(name)) return help(terminal, rest[0])
  if (['version', '--version', '-v'].includes(name)) {
    terminal.print(VERSION)
    return 0
  }
  const command = find(name)
  if (command === undefined) return unknown(terminal, name)
  if (rest.includes('--help') || rest.includes('-h')) return help(terminal, name)
  try {
    const { values } = parseArgs({ args: rest, options: command.options, strict: true })
    return await command.run(terminal, values as Options)
  } catch (error) {
    const misuse = readMisuse(error)
    if (misuse === undefined) {
      for (const line of explain(error)) terminal.complain(line)
      return 1
    }
    terminal.complain(`${misuse}\nUsage: ${command.usage}`)
    return 2
  }
}

function find(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
}

/** What was wrong with the words typed; undefined when they were understood and something else failed. */
function readMisuse(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message
  const { code, message } = error as Error & { code?: string }
  // The first sentence says what is wrong, the others how to name a file that begins with a dash.
  return code?.startsWith('ERR_PARSE_ARGS') ? `${message.split('. ', 1)[0]?.replace(/\.$/, '')}.` : undefined
}

function unknown(terminal: Terminal, name: string): number {
  terminal.complain(`There is no command "${name}". There are: ${Object.keys(COMMANDS).join(', ')}, help.`)
  terminal.complain('Usage: postern <command> [options]; "postern help <command>" tells about one.')
  return 2
}

function help(terminal: Terminal, name: string | undefined): number {
  if (name === undefined) {
    terminal.print(
      `Postern ${VERSION}: an invitation-only platform API with signed webhooks, in one process.\n`,
    )
    for (const { usage, about } of Object.values(COMMANDS)) terminal.print(`  ${usage}\n      ${about}`)
    terminal.print('  postern help [command]\n      Tells about a command and its options.')
    terminal.print('\nSettings are environment variables; README.md lists them.')
    return 0
  }
  const command = find(name)
  if (command === undefined) return unknown(terminal, name)
  terminal.print(`${command.about}\n\nUsage: ${command.usage}`)
  const options = Object.entries(command.options)
  if (options.length > 0) terminal.print('')
  for (const [option, { about }] of options) terminal.print(`  --${option.padEnd(14)} ${about}`)
  return 0
}
