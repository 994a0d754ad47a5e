import { styleText } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { type Millis, pause, SECOND, systemClock, toIso } from '../core/clock.ts'
import { CHECKS, examine, findMisspelt } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'
import { readCount } from './open-client.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'

const COLOR = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** `postern doctor`: checks everything that a start needs. It changes nothing. */
export const doctor: Command = {
  about: 'Checks settings, database, key, ledger, mail and address, and names the remedies.',
  usage: 'postern doctor [--watch] [--every SECONDS] [--count N]',
  options: {
    watch: {
      type: 'boolean',
      default: false,
      about: 'Repeats the checks and prints changes, until Ctrl-C.',
    },
    every: { type: 'string', about: 'With --watch: seconds between two checks. Default: 30.' },
    count: { type: 'string', about: 'With --watch: ends after this number of checks.' },
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

/** Open findings by a key that identifies each, with the check that found it. */
type Unwell = Map<string, { finding: Finding; of: string }>

/** Checks repeatedly and prints changes only. @returns 1 where the last check found a problem */
async function watch(terminal: Terminal, every: Millis, count = Number.POSITIVE_INFINITY): Promise<number> {
  let before: Unwell = new Map()
  for (let round = 1; ; round += 1) {
    const checks = await checkAll(terminal)
    const unwell: Unwell = new Map()
    for (const { of, findings } of checks)
      for (const finding of findings)
        if (finding.level !== 'ok')
          unwell.set(`${finding.what} ${withoutFigures(finding.text)}`, { finding, of })
    for (const [key, { finding }] of unwell)
      if (before.get(key)?.finding.level !== finding.level) say(terminal, finding)
    for (const [key, known] of before) {
      if (unwell.has(key)) continue
      const checked = checks.find(({ of }) => of === known.of)
      // A finding whose check was not made stays open.
      if (checked === undefined || !checked.isMade) unwell.set(key, known)
      else say(terminal, clearedBy(known.finding, checked.findings))
    }
    if (round === 1 && unwell.size === 0)
      terminal.complain(`All is well. Looking every ${every / SECOND} seconds; Ctrl-C ends it.`)
    before = unwell
    if (round >= count) return [...unwell.values()].some(({ finding }) => finding.level === 'problem') ? 1 : 0
    await pause(every)
  }
}

/** The finding that replaces a cleared one: the present state of the same subject, or else that the old finding is cleared. */
function clearedBy({ what, text }: Finding, findings: Finding[]): Finding {
  const now = findings.filter((finding) => finding.what === what)
  if (now.some(({ level }) => level !== 'ok')) return { level: 'ok', what, text: `no longer: ${text}` }
  return now[0] ?? { level: 'ok', what, text: 'well again' }
}

/** A text without times and counts, which change between checks. Names, addresses and versions stay. */
const withoutFigures = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{1,12}Z/g, '#')
    .replace(/(?<![\w.:-])\d{1,15}(?:[.,]\d{1,15})?(?![\w:-]|[.,]\d)/g, '#')

/** @throws UsageError */
function readEvery({ every = '30' }: Options): Millis {
  if (!/^[1-9]\d{0,4}$/.test(String(every)))
    throw new UsageError('--every must be a whole number of seconds.')
  return Number(every) * SECOND
}

/** The findings of one check, and whether it was made. */
interface Checked {
  of: string
  findings: Finding[]
  isMade: boolean
}

/** Makes all checks. Without valid settings there is none; without a database its checks are not made. */
async function checkAll(terminal: Terminal): Promise<Checked[]> {
  const settings: Finding[] = []
  const config = configuration(terminal, (finding) => settings.push(finding))
  const checks: Checked[] = [{ of: 'Settings', findings: settings, isMade: true }]
  for (const check of config === undefined ? [] : CHECKS) {
    const database = checks.find(({ of }) => of === 'Database')
    const isDown = database?.findings.some(({ level }) => level === 'problem') === true
    const findings = await examine(check, config as Config)
    checks.push({ of: check.what, findings, isMade: check.of === 'settings' || !isDown })
  }
  return checks
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
