import { deflateRawSync } from 'node:zlib'
import { pause, SECOND } from '#src/core/clock.ts'
import { createReaders } from '#src/files/readers/read-text.ts'
import { packedRepeats } from '../test/support/bombs.ts'
import { bookEntries } from '../test/support/office.ts'
import { read } from '../test/support/reading.ts'
import { makeZip } from '../test/support/zip.ts'
import { cpuWithChildren, median, ms, whole } from './figures.ts'
import type { Options } from './options.ts'
import { inProcess } from './processes.ts'
import { type Organization, publisher } from './publisher.ts'
import type { Row } from './table.ts'
import { benchUploads } from './uploads.ts'

const ROWS = 50_000
const COLUMNS = [...'ABCDEFGHIJ']
const TEXTS = 5_000
const RATE = 100
const AT_ONCE = 200
const PATIENCE_MS = 300_000

/** Measures what reading files costs, and what it costs other callers at the same time. */
export async function benchFiles({ engine, rounds, steadyMs, progress }: Options): Promise<Row[]> {
  const rows: Row[] = []
  if (engine === 'sqlite') {
    progress('a spreadsheet of 500,000 cells')
    rows.push(await spreadsheet(rounds))
  }
  rows.push(await benchUploads({ engine, progress }))
  rows.push(...(await neighboursOfFiles({ engine, steadyMs, progress })))
  return rows
}

/**
 * Each round reads the book once by each way, in a new process. It compares processor time, which a busy machine changes
 * least.
 */
async function spreadsheet(rounds: number): Promise<Row> {
  const entries = book()
  const bytes = makeZip(entries)
  const packed = entries.map(({ data }) => deflateRawSync(data, { level: 1 }).toString('base64'))
  const readers = createReaders()
  // A process is ready for the first one as well.
  await read(readers, 'text', 'a.txt')
  const [ours, raw]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await cost(() => inProcess('./raw-spreadsheet.ts', { packed })))
    ours.push(await cost(() => read(readers, bytes, 'book.xlsx')))
  }
  await readers.close()
  const cells = (spent: number) => `${whole((ROWS * COLUMNS.length) / (spent / SECOND))} cells`
  const share = median(raw) / median(ours)
  return {
    name: 'a spreadsheet turned into text by a separate process, per second of processor time',
    measured: `${cells(median(ours))}, ${share.toFixed(2)} of raw`,
    raw: `${cells(median(raw))} inflated and parsed by a bare process, which makes no text`,
    goal: '≥ 0.70 of raw',
    isMet: share >= 0.7,
  }
}

async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = cpuWithChildren(process.pid)
  await work()
  return cpuWithChildren(process.pid) - before
}

/** Half of the cells are shared texts, half numbers. */
function book() {
  const cell = (column: string, index: number, row: number) =>
    index % 2 === 0
      ? `<c r="${column}${row}" t="s"><v>${(row * 7 + index) % TEXTS}</v></c>`
      : `<c r="${column}${row}"><v>${((row * 31 + index) % 100_000) / 8}</v></c>`
  const row = (number: number) =>
    `<row r="${number}">${COLUMNS.map((column, index) => cell(column, index, number)).join('')}</row>`
  const data = Array.from({ length: ROWS }, (_, index) => row(index + 1)).join('')
  const strings = Array.from({ length: TEXTS }, (_, index) => `<si><t>text ${index}</t></si>`).join('')
  return bookEntries({ sheets: { S: `<sheetData>${data}</sheetData>` }, strings })
}

/** What neighbours do with files until they are stopped. @returns how many files were read */
const NEIGHBOURS: [what: string, neighbours: string[], act: typeof throwBombs][] = [
  ['two spreadsheets that never end are read', ['bomber-a', 'bomber-b'], throwBombs],
  [`a neighbour uploads ${AT_ONCE} texts at once, again and again`, ['uploader'], uploadMany],
]

/** One organization publishes on schedule while neighbours have files read, in another way for each row. */
async function neighboursOfFiles({
  engine,
  steadyMs,
  progress,
}: Pick<Options, 'engine' | 'steadyMs' | 'progress'>): Promise<Row[]> {
  const ours = await publisher(engine)
  progress('publishing, nothing is read')
  await ours.paced(RATE, steadyMs / 2)
  const idle = (await ours.paced(RATE, steadyMs)).accepted
  const rows: Row[] = []
  for (const [what, names, act] of NEIGHBOURS) {
    const neighbours = []
    for (const name of names) neighbours.push(await ours.neighbour(name))
    progress(`publishing, ${what}`)
    const over = new AbortController()
    const acting = Promise.all(neighbours.map((one) => act(one, over.signal)))
    const busy = (await ours.paced(RATE, steadyMs)).accepted
    over.abort()
    const count = (await acting).reduce((sum, one) => sum + one, 0)
    const ratio = busy.p99 / idle.p99
    rows.push({
      name: `p99 of a call at ${RATE}/s while ${what}`,
      measured: `${ms(busy.p99)} (p50 ${ms(busy.p50)}), ${ratio.toFixed(2)} × raw; ${count} read`,
      raw: `${ms(idle.p99)} (p50 ${ms(idle.p50)}) while nothing is read`,
      goal: '≤ 1.2 × raw',
      isMet: ratio <= 1.2,
    })
  }
  await ours.stop('kill')
  return rows
}

/** A book that is valid, and takes its reader as many seconds as one may: 1.9 million cells with nothing in them. */
function bomb(): Buffer {
  const part =
    '<c r="A1" s="0" t="n" a="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"></c>'
  const [head, tail] = ['<worksheet><sheetData><row>', '</row></sheetData></worksheet>']
  const times = 19
  const packed = packedRepeats(head, part.repeat(100_000), times, tail)
  const saysSize = head.length + tail.length + part.length * 100_000 * times
  return makeZip(
    bookEntries({ sheets: { S: '' } }).map((entry) =>
      entry.name.endsWith('sheet1.xml') ? { ...entry, packed, saysSize } : entry,
    ),
  )
}

/** Waits until all files are read, even after the measurement of the others. @returns how many were read */
async function uploadMany({ upload, call }: Organization, signal: AbortSignal): Promise<number> {
  const patient = AbortSignal.timeout(PATIENCE_MS)
  let count = 0
  for (; !signal.aborted; count += AT_ONCE) {
    const names = Array.from({ length: AT_ONCE }, (_, index) => `${count + index}.txt`)
    await Promise.all(names.map((name) => upload(name, Buffer.from(`The text of ${name}.`), patient)))
  }
  for (let cursor: unknown; cursor !== null; ) {
    const page = await call('GET', `/v1/files?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    const files = page.data as { status: string }[]
    const unread = files.filter(({ status }) => status !== 'processed')
    if (unread.every(({ status }) => status === 'processing') && unread.length > 0) {
      patient.throwIfAborted()
      await pause(100)
      continue
    }
    if (unread.length > 0) throw new Error(`${unread.length} of the texts could not be read`)
    cursor = page.nextCursor
  }
  return count
}

/** @returns how many were read */
async function throwBombs({ upload }: Organization, signal: AbortSignal): Promise<number> {
  const bytes = bomb()
  let count = 0
  for (; !signal.aborted; count += 1) await upload(`bomb-${count}.xlsx`, bytes, signal).catch(() => {})
  return count
}
