import { importAccounts } from '../access/accounts/import-accounts.ts'
import {
  type ImportedAccount,
  isRefusal,
  type Refusal,
  readImportedLine,
} from '../access/accounts/imported-line.ts'
import { groupDigits } from '../core/text/group-digits.ts'
import { timeOf } from '../store/clock-ahead.ts'
import { type FileLine, readLines } from './terminal/read-lines.ts'
import { type Command, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

/** Lines per transaction: short enough that a server on the same database waits no longer than for other writes. */
const LINES_AT_ONCE = 100
/** Lines between two messages of progress. */
const SAID_EVERY = 1_000
/** The most refused lines in the JSON answer; all are printed as errors. */
const MOST_NAMED = 1_000

interface Counts {
  lines: number
  imported: number
  unchanged: number
  refused: number
  refusals: (Refusal & { line: number })[]
}

/** `postern import-accounts`: imports accounts of another system with their password hashes. */
export const importAccountsCommand: Command = {
  about: 'Imports accounts of another system, with the hashes of their passwords, from a file of JSON lines.',
  usage: 'postern import-accounts --file FILE [--dry-run]',
  options: {
    file: { type: 'string', about: 'One account a line; docs/operations.md describes its members.' },
    'dry-run': { type: 'boolean', default: false, about: 'Reports the refusals, and changes nothing.' },
  },
  async run(terminal, options) {
    const file = String(options.file ?? '')
    if (file === '') throw new UsageError('--file must be the path of a file.')
    return withStore(terminal, async (context) => {
      const counts = await importFile(context, terminal, file, options['dry-run'] === true)
      const { lines, imported, unchanged, refused } = counts
      terminal.print(
        `${said(lines, 'line')}: ${said(imported, 'account')} ${options['dry-run'] === true ? 'would be imported' : 'imported'}, ${groupDigits(unchanged)} unchanged, ${groupDigits(refused)} refused.`,
      )
      terminal.answer(counts)
      return refused === 0 ? 0 : 1
    })
  },
}

/** Undoes the transaction of a dry run. */
class DryRun extends Error {}

async function importFile(
  { config, database, trail }: Context,
  terminal: Terminal,
  file: string,
  isDry: boolean,
): Promise<Counts> {
  const counts: Counts = { lines: 0, imported: 0, unchanged: 0, refused: 0, refusals: [] }
  const refuse = (line: number, refusal: Refusal) => {
    counts.refused += 1
    if (counts.refusals.length < MOST_NAMED) counts.refusals.push({ line, ...refusal })
    terminal.complain(`Line ${line}: ${refusal.field}: ${refusal.reason}`)
  }

  async function write(batch: { line: number; account: ImportedAccount }[]): Promise<void> {
    if (batch.length === 0) return
    const accounts = batch.map(({ account }) => account)
    let outcomes: Awaited<ReturnType<typeof importAccounts>> = []
    try {
      await database.tx(async (tx) => {
        outcomes = await importAccounts(tx, { ...trail, now: await timeOf(tx, config.devClock) }, accounts)
        if (isDry) throw new DryRun()
      })
    } catch (error) {
      if (!(error instanceof DryRun)) throw error
    }
    for (const [index, { line }] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === 'imported' || outcome === 'unchanged') counts[outcome] += 1
      else if (outcome !== undefined) refuse(line, outcome)
    }
  }

  for await (const lines of inBatches(readLines(file))) {
    const batch: { line: number; account: ImportedAccount }[] = []
    for (const { number: line, text } of lines) {
      const read = text === undefined ? { field: 'line', reason: 'too_long' } : readImportedLine(text)
      if (isRefusal(read)) refuse(line, read)
      else batch.push({ line, account: read })
    }
    await write(batch)
    const before = counts.lines
    counts.lines += lines.length
    if (Math.floor(before / SAID_EVERY) !== Math.floor(counts.lines / SAID_EVERY))
      terminal.complain(`${said(counts.lines, 'line')} read, ${groupDigits(counts.imported)} imported.`)
  }
  return counts
}

async function* inBatches(lines: AsyncIterable<FileLine>): AsyncGenerator<FileLine[], void, undefined> {
  let batch: FileLine[] = []
  for await (const line of lines) {
    if (line.text?.trim() === '') continue
    batch.push(line)
    if (batch.length < LINES_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const said = (count: number, word: string) => `${groupDigits(count)} ${word}${count === 1 ? '' : 's'}`
