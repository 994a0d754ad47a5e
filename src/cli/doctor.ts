import { styleText } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { CHECKS, examine, findMisspelt } from '../doctor/checks.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Command, Terminal } from './terminal/terminal.ts'

const COLOR = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** `postern doctor`: looks at everything that a start needs, and changes nothing. */
export const doctor: Command = {
  about: 'Checks settings, database, key, ledger, mail and address; says what to do.',
  usage: 'postern doctor',
  options: {},
  async run(terminal) {
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
