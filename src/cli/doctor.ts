import { styleText } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { type Millis, pause, SECOND, systemClock, toIso } from '../core/clock.ts'
import { CHECKS, examine, findMisspelt } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'
import { readCount } from './open-client.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

const COLOR = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** `postern doctor`: looks at everything that a start needs, and changes nothing. */
export const doctor: Command = {
  about: 'Checks settings, database, key, ledger, mail and address; says what to do.',
  usage: 'postern doctor [--watch] [--every SECONDS] [--count N]',
  options: {
    watch: {
      type: 'boolean',
      default: false,
      about: 'Looks again and again, and says what has become otherwise, until Ctrl-C.',
    },
    every: { type: 'string', about: 'With --watch: the seconds between two looks. Default: 30.' },
    count: { type: 'string', about: 'With --watch: ends after so many looks.' },
  },
  async run(terminal, options) {
    if (options.watch) return watch(terminal, readEvery(options), readCount(options))
    const findings: Finding[] = []
    const tell = (finding: Finding) => {
      findings.push(finding)
      terminal.print(`${styled(terminal, finding.level)} ${finding.what.padEnd(13)} ${finding.text}`)
    }
    const config = configuration(terminal, tell)
    for (const check of config === undefined ? [] : CHECKS) {
      for (const finding of await examine(check, config as Config)) tell(finding)
    }
    const problems = findings.filter(({ level }) => level === 'problem').length
    const warnings = findings.filter(({ level }) => level === 'warning').length
    terminal.print(`\n${verdict(problems, warnings)}`)
    terminal.answer({ problems, warnings, findings })
    return problems > 0 ? 1 : 0
  },
}

const LEVELS = ['ok', 'warning', 'problem'] as const

/** Says what a look finds otherwise than the one before. @returns 1 where the last look has found a problem */
async function watch(terminal: Terminal, every: Millis, count = Number.POSITIVE_INFINITY): Promise<number> {
  let before = new Map<string, Finding>()
  for (let round = 1; ; round += 1) {
    const worst = await worstOfEach(terminal)
    for (const [what, finding] of worst) {
      const former = before.get(what)?.level ?? 'ok'
      if (finding.level === former && round > 1) continue
      if (finding.level === 'ok' && former === 'ok') continue
      say(terminal, finding)
    }
    // What is not looked at any more was only said while it was wrong, as Parked is.
    for (const [what, { level }] of before)
      if (!worst.has(what) && level !== 'ok') say(terminal, { level: 'ok', what, text: 'well again' })
    if (round === 1 && [...worst.values()].every(({ level }) => level === 'ok'))
      terminal.complain(`All is well. Looking every ${every / SECOND} seconds; Ctrl-C ends it.`)
    before = worst
    if (round >= count) return [...worst.values()].some(({ level }) => level === 'problem') ? 1 : 0
    await pause(every)
  }
}

/** @throws UsageError */
function readEvery({ every = '30' }: Options): Millis {
  if (!/^[1-9]\d{0,4}$/.test(String(every)))
    throw new UsageError('--every must be a whole number of seconds.')
  return Number(every) * SECOND
}

/** Of each thing that is looked at, the finding that is worst. */
async function worstOfEach(terminal: Terminal): Promise<Map<string, Finding>> {
  const findings: Finding[] = []
  const config = configuration(terminal, (finding) => findings.push(finding))
  for (const check of config === undefined ? [] : CHECKS)
    findings.push(...(await examine(check, config as Config)))
  const worst = new Map<string, Finding>()
  for (const finding of findings) {
    const other = worst.get(finding.what)
    if (other === undefined || LEVELS.indexOf(finding.level) > LEVELS.indexOf(other.level))
      worst.set(finding.what, finding)
  }
  return worst
}

function say(terminal: Terminal, finding: Finding): void {
  const at = toIso(systemClock.now())
  terminal.print(`${at}  ${styled(terminal, finding.level)} ${finding.what.padEnd(13)} ${finding.text}`)
  terminal.answer({ at, ...finding })
}

function configuration({ env }: Terminal, tell: (finding: Finding) => void): Config | undefined {
  try {
    const config = readConfig(env)
    tell({ level: 'ok', what: 'Settings', text: 'every variable is understood' })
    for (const finding of findMisspelt(config)) tell(finding)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const text of error.problems) tell({ level: 'problem', what: 'Settings', text })
    return undefined
  }
}

function styled({ isInteractive }: Terminal, level: Finding['level']): string {
  const word = level.padEnd(8)
  return isInteractive ? styleText(COLOR[level], word) : word
}

function verdict(problems: number, warnings: number): string {
  const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  if (problems > 0) return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
  return warnings > 0 ? `No problem, ${counted(warnings, 'warning')}.` : 'All is well.'
}
