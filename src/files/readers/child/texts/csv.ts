import { CsvError, parse } from 'csv-parse'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { partsOf, type Writer } from '../common/writer.ts'

const PART = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|']

/** Writes each row as a line, with its fields separated by tabs. */
export async function readCsv(text: string, writer: Writer): Promise<void> {
  const parser = parse({
    delimiter: delimiterOf(text),
    max_record_size: LIMITS.node,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  })
  const failed = new Promise<never>((_, reject) => parser.once('error', reject))
  failed.catch(() => {})
  let cells = 0
  function drain(): void {
    for (let row = parser.read() as string[] | null; row !== null; row = parser.read()) {
      cells += row.length
      if (cells > LIMITS.cells) throw new Refusal('too_large', 'more than 2,000,000 fields')
      writer.write(`${row.map((field) => field.replace(/\s+/g, ' ').trim()).join('\t')}\n`)
    }
  }
  try {
    for (const part of partsOf(text, PART)) {
      const written = new Promise<void>((resolve) => parser.write(part, () => resolve()))
      drain()
      await Promise.race([written, failed])
      drain()
    }
    const ended = new Promise<void>((resolve) => parser.once('end', resolve))
    parser.end()
    drain()
    await Promise.race([ended, failed])
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_MAX_RECORD_SIZE') {
      throw new Refusal('too_large', 'a record of more than 1 MiB', { cause: error })
    }
    throw error
  }
}

/** The most frequent delimiter of the first line. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n')
  const line = text.slice(0, end < 0 ? PART : Math.min(end, PART))
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }))
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter
}
