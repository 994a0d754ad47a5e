import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { VERSION } from '../core/version.ts'
import { explainFailure } from '../store/explain-failure.ts'
import {
  COMMON_OPTIONS,
  type Command,
  type Console,
  type Options,
  type Terminal,
  UsageError,
} from './terminal/terminal.ts'

/** Every command, in the order of the help. A process loads only the command that it runs. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).start,
  migrate: async () => (await import('./migrate.ts')).migrate,
  invite: async () => (await import('./invite.ts')).invite,
  mail: async () => (await import('./mail.ts')).mail,
  account: async () => (await import('./account.ts')).account,
  'import-accounts': async () => (await import('./import-accounts.ts')).importAccountsCommand,
  organizations: async () => (await import('./organizations.ts')).organizations,
  'platform-key': async () => (await import('./platform-key.ts')).platformKey,
  plan: async () => (await import('./plan.ts')).plan,
  credits: async () => (await import('./credits.ts')).credits,
  'rotate-key': async () => (await import('./rotate-key.ts')).rotateKey,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  move: async () => (await import('./move.ts')).moveCommand,
  doctor: async () => (await import('./doctor.ts')).doctor,
  verify: async () => (await import('./verify.ts')).verify,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./logout.ts')).logout,
  tail: async () => (await import('./tail.ts')).tail,
  listen: async () => (await import('./listen.ts')).listen,
  clock: async () => (await import('./clock.ts')).clock,
  trigger: async () => (await import('./trigger.ts')).trigger,
  resend: async () => (await import('./resend.ts')).resend,
}

/** Loads all commands. @returns them by name */
export async function readCommands(): Promise<Record<string, Command>> {
  const read = Object.entries(COMMANDS).map(async ([name, command]) => [name, await command()] as const)
  return Object.fromEntries(await Promise.all(read))
}

/** The terminal, or the pipe, of this process. */
function processTerminal(): Console {
  // `postern mail | head` ends the pipe before the last line; the rest is dropped.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return {
    env: undefined,
    isInteractive: process.stdout.isTTY === true,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    ...(process.stdin.isTTY === true ? { ask, askHidden } : {}),
  }
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  const lines = createInterface({
    input: process.stdin,
    output: new Writable({ write: drop }),
    terminal: true,
  })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** Discards the echo of a hidden answer. */
function drop(_chunk: unknown, _encoding: string, done: () => void): void {
  done()
}

/**
 * Runs `postern <command> …`.
 * @returns the exit code: 0 done, 1 failed, 2 not understood
 */
export async function runCommand(args: string[], terminal: Console = processTerminal()): Promise<number> {
  const [name = 'help', ...rest] = args
  const isJson = rest.includes('--json')
  if (['help', '--help', '-h'].includes(name))
    return isJson ? tell(terminal, { commands: await readCommands() }) : help(terminal, rest[0])
  if (['version', '--version', '-v'].includes(name))
    return tell(terminal, isJson ? { version: VERSION } : VERSION)
  const command = await find(name)
  if (command === undefined) return unknown(terminal, name)
  if (rest.includes('--help') || rest.includes('-h')) return help(terminal, name)
  try {
    const options = { ...command.options, ...COMMON_OPTIONS }
    const [verb, args] = splitVerb(command, rest)
    const { values } = parseArgs({ args, options, strict: true })
    const { json, ...others } = values as Options
    return await command.run(json === true ? inJson(terminal) : inWords(terminal), others, verb)
  } catch (error) {
    const misuse = readMisuse(error)
    if (misuse === undefined) {
      for (const line of explainFailure(error)) terminal.complain(line)
      return 1
    }
    terminal.complain(`${misuse}\nUsage: ${usageOf(command)}`)
    return 2
  }
}

const inWords = (terminal: Console): Terminal => ({ ...terminal, answer() {} })

const inJson = (terminal: Console): Terminal => ({
  ...terminal,
  isInteractive: false,
  print() {},
  answer: (value) => terminal.print(JSON.stringify(value)),
})

const usageOf = ({ usage }: Command) => `${usage} [--json]`

function tell(terminal: Console, answer: object | string): number {
  terminal.print(typeof answer === 'string' ? answer : JSON.stringify(answer))
  return 0
}

async function find(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined
}

/** Separates the verb of a command with verbs from its options. Any other word is refused by the parser. */
function splitVerb(
  { verbs, takesWord }: Command,
  args: string[],
): [verb: string | undefined, rest: string[]] {
  const [first, ...rest] = args
  const isTaken = first !== undefined && (verbs?.includes(first) || (takesWord && !first.startsWith('-')))
  return isTaken ? [first, rest] : [undefined, args]
}

/** The sentence about a wrong command line; undefined for an error of another kind. */
function readMisuse(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message
  const { code, message } = error as Error & { code?: string }
  // The parser's first sentence names the error; the others explain file names that begin with a dash.
  return code?.startsWith('ERR_PARSE_ARGS') ? `${message.split('. ', 1)[0]?.replace(/\.$/, '')}.` : undefined
}

function unknown(terminal: Console, name: string): number {
  terminal.complain(
    `There is no command "${name}". There are: ${Object.keys(COMMANDS).join(', ')}, version, help.`,
  )
  terminal.complain('Usage: postern <command> [options]; "postern help <command>" describes one.')
  return 2
}

async function help(terminal: Console, name: string | undefined): Promise<number> {
  if (name === undefined) {
    terminal.print(
      `Postern ${VERSION}: an invitation-only platform API with signed webhooks, started by one command.\n`,
    )
    for (const one of Object.values(await readCommands()))
      terminal.print(`  ${usageOf(one)}\n      ${one.about}`)
    terminal.print('  postern version [--json]\n      Tells which version this is.')
    terminal.print('  postern help [command]\n      Tells about a command and its options.')
    terminal.print('\nSettings are environment variables; docs/settings.md lists them.')
    return 0
  }
  const command = await find(name)
  if (command === undefined) return unknown(terminal, name)
  terminal.print(`${command.about}\n\nUsage: ${usageOf(command)}\n`)
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS })
  for (const [option, { about }] of options) terminal.print(`  --${option.padEnd(14)} ${about}`)
  return 0
}
