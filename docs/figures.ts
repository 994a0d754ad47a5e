import { toRow } from './markdown.ts'

/**
 * Tables that are calculated from the measured tables of `docs/benchmarks.md`. `npm run docs` writes them, and
 * `test/documents.test.ts` compares them.
 */

type Engine = 'PostgreSQL' | 'SQLite'

/** A row of a measured table. */
interface Measured {
  measured: string
  raw: string
  isMet: boolean
}

/** Finds the row of a part that begins with a name. */
type Find = (part: string, engine: Engine, row: string) => Measured

/** @param text `docs/benchmarks.md` */
function readTables(text: string): Find {
  return (part, engine, row) => {
    const section = text.split(`\n### ${part}, ${engine}\n`)[1]?.split('\n#')[0] ?? ''
    const line = section.split('\n').find((one) => one.startsWith(`| ${row}`))
    if (line === undefined) throw new Error(`docs/benchmarks.md has no row "${row}" of ${part}, ${engine}`)
    const [, , measured = '', raw = '', , met = ''] = line.split('|').map((cell) => cell.trim())
    return { measured, raw, isMet: met === 'yes' }
  }
}

/** The number that a pattern captures. */
function numberIn(text: string, pattern: RegExp): number {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`"${text}" has nothing like ${pattern}`)
  return Number(found.replaceAll(',', ''))
}

const grouped = (value: number) => value.toLocaleString('en-US')
const toRounded = (value: number, digits: number) =>
  value.toLocaleString('en-US', { maximumSignificantDigits: digits })
const toKilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`

const ONE = 'an event of 1 KB with one delivery'
const SEVEN = 'an event of 1 KB with 7 deliveries'
const FAN_OUT_1 = 'published → delivered and recorded, fan-out 1'

/** Deliveries a second that are a million a minute. */
const RATE = 1_000_000 / 60
const DAY_SECONDS = 86_400
/** The share of its time that a process of Postern should be busy at most. */
const BUSY = 2 / 3
const POOL = 20

/** What one delivery costs. */
interface Costs {
  own: number
  database: number
  log: number
  flushes: number
  rest: number
}

function costsOf(find: Find, row: string, deliveries: number, own: number): Costs {
  const { measured } = find('cost', 'PostgreSQL', row)
  const each = (pattern: RegExp) => numberIn(measured, pattern) / deliveries
  return {
    own,
    database: each(/PostgreSQL ([\d,]+) µs/),
    log: each(/([\d,]+) bytes of log/),
    flushes: each(/([\d.]+) flushes/),
    rest: each(/([\d,]+) bytes at rest/),
  }
}

/** What a delivery costs on PostgreSQL, and what a million of them a minute need. */
function capacity(find: Find): string[] {
  const ownOf = (row: string) => numberIn(find('post', 'PostgreSQL', row).measured, /([\d,]+) µs of CPU each/)
  const all = [costsOf(find, ONE, 1, ownOf(FAN_OUT_1)), costsOf(find, SEVEN, 7, ownOf('fan-out 20'))]
  const row = (name: string, cell: (costs: Costs) => string) => toRow(name, ...all.map(cell))
  const cores = (micros: number) => (RATE * micros) / 1e6
  const processes = ({ own }: Costs) => Math.ceil(cores(own) / BUSY)
  const perDay = (bytes: number) => `${((RATE * bytes * DAY_SECONDS) / 1e12).toFixed(1)} TB a day`
  return [
    toRow('Each delivery', 'One an event', 'Many an event'),
    '|---|---|---|',
    toRow(
      "Postern's processor time",
      ...all.map(({ own }, many) => `${own} µs${many ? ' (20 an event)' : ''}`),
    ),
    row("PostgreSQL's processor time", ({ database }) => `${database.toFixed(0)} µs`),
    row('Log of PostgreSQL', ({ log }) => toKilobytes(log)),
    row('Flushes', ({ flushes }) => flushes.toFixed(3)),
    row('At rest, with its part of the event', ({ rest }) => toKilobytes(rest)),
    '',
    toRow('A million a minute needs', 'One an event', 'Many an event'),
    '|---|---|---|',
    row(
      'Cores of Postern',
      (one) => `${cores(one.own).toFixed(1)}; ${processes(one)} processes that are two thirds busy`,
    ),
    row('Cores of PostgreSQL', ({ database }) => {
      const busy = cores(database)
      return `${busy.toFixed(1)}; ${Math.ceil(2 * busy)}, so that it is half idle`
    }),
    row('Log', ({ log }) => `${((RATE * log) / 1e6).toFixed(0)} MB a second, ${perDay(log)} to keep or ship`),
    row('Flushes', ({ flushes }) => `${toRounded(RATE * flushes, 2)} a second`),
    row('Disk', ({ rest }) => perDay(rest)),
    row(
      'Connections to PostgreSQL',
      (one) => `${processes(one)} × \`DATABASE_POOL\`, ${processes(one) * POOL} by default`,
    ),
    row(
      'A primary of 8 cores, half of them idle, takes',
      ({ database }) => `${toRounded(4e6 / database, 2)} deliveries a second`,
    ),
  ]
}

const ENGINES = ['PostgreSQL', 'SQLite'] as const

/** A row of the comparison: results of others, then Postern's by the measured tables. */
interface Comparison {
  cells: [name: string, outpost: string, svix: string, then: string, goal: string]
  part: string
  row: string
  /** The figure of a measured row. */
  read: (measured: Measured, engine: Engine) => number
  unit?: string
  isMet: (figure: number, measured: Measured, engine: Engine) => boolean
}

const first = (pattern: RegExp) => (row: Measured) => numberIn(row.measured, pattern)
const perEngine = (postgres: number, sqlite: number) => (engine: Engine) =>
  engine === 'SQLite' ? sqlite : postgres
const atLeast =
  (goal: (engine: Engine) => number): Comparison['isMet'] =>
  (figure, _, engine) =>
    figure >= goal(engine)
const atMost =
  (goal: (engine: Engine) => number): Comparison['isMet'] =>
  (figure, _, engine) =>
    figure <= goal(engine)

const RESTART = {
  read: first(/^([\d,]+) ms/),
  unit: ' ms',
  isMet: atMost(() => 350),
}
const P99 = /p99 ([\d.]+) ms/
const NEIGHBOUR = {
  part: 'neighbours',
  read: first(P99),
  unit: ' ms',
  isMet: (figure: number, { raw }: Measured) => figure <= numberIn(raw, P99),
}

const COMPARISONS: Comparison[] = [
  {
    cells: [
      'delivered a second, fan-out 1, 64 in flight',
      ...['2,017', '1,255', '2,944; 5,407'],
      '3 × and 5 × the best: ≥ 6,051; ≥ 10,085',
    ] as Comparison['cells'],
    ...{ part: 'post', row: FAN_OUT_1, read: first(/([\d,]+)\/s/), isMet: atLeast(perEngine(6_051, 10_085)) },
  },
  {
    cells: [
      'delivered a second, fan-out 20',
      ...['2,391', '3,374', '4,639; 8,966'],
      '2.5 × and 5 × the best: ≥ 8,435; ≥ 16,870',
    ] as Comparison['cells'],
    ...{ part: 'post', row: 'fan-out 20', read: first(/([\d,]+) deliveries\/s/) },
    isMet: atLeast(perEngine(8_435, 16_870)),
  },
  {
    cells: [
      'processor time of a delivery, all parts, fan-out 1',
      '854 µs',
      '1,412 µs',
      '441; 178 µs',
      '≤ 220; ≤ 140 µs',
    ],
    ...{ part: 'cost', row: ONE, unit: ' µs', isMet: atMost(perEngine(220, 140)) },
    read: ({ measured }, engine) =>
      numberIn(measured, /^([\d,]+) µs/) +
      (engine === 'PostgreSQL' ? numberIn(measured, /PostgreSQL ([\d,]+) µs/) : 0),
  },
  {
    cells: ['accepted → arrived at 200 a second, p95', '51.5 ms', '1.95 ms', '2.5; 1.3 ms', '≤ 1.9 ms'],
    ...{ part: 'latency', row: 'accepted → arrived at 200/s', read: first(/p95 ([\d.]+) ms/), unit: ' ms' },
    isMet: atMost(() => 1.9),
  },
  {
    cells: ['resident memory under load, without the brokers', '118 MB', '54 MB', '405; 484 MB', '≤ 200 MB'],
    ...{ part: 'post', row: 'resident memory', unit: ' MB at most', isMet: atMost(() => 200) },
    read: ({ measured }) => Math.max(...(measured.match(/\d+/g) ?? []).map(Number)),
  },
  {
    cells: [
      'killed → accepting again, same data, from the clone',
      '60 ms',
      '90 ms',
      '1,100; 1,050 ms',
      '≤ 350 ms',
    ],
    ...{ part: 'start', row: 'killed → accepting again', ...RESTART },
  },
  {
    cells: ['the same, from a package', '60 ms', '90 ms', '', '≤ 350 ms'],
    ...{ part: 'start', row: 'package: killed → accepting again', ...RESTART },
  },
  {
    cells: [
      'a receiver of 300 ms at 600 a second',
      '333 a second',
      'keeps up',
      '53; 53 a second',
      'keeps up',
    ],
    ...{
      part: 'keeping-up',
      row: 'answers of 300 ms',
      read: first(/^([\d,]+) behind/),
      unit: ' behind at the end',
    },
    isMet: (_, { isMet }) => isMet,
  },
  {
    cells: [
      'an endpoint that never answers has 2,000 events: p99 of another organization',
      ...['90 s', '85 s', '7; 2 ms', 'no higher than without'],
    ] as Comparison['cells'],
    ...{ row: 'one webhook that never answers', ...NEIGHBOUR },
  },
  {
    cells: ['1,000 such endpoints', '', '', '', 'no higher than without'],
    ...{ row: '1,000 webhooks that never answer', ...NEIGHBOUR },
  },
]

/** The results of two other senders, with Postern's by the measured tables. */
function otherSenders(find: Find): string[] {
  return [
    toRow(
      'Row',
      'Outpost',
      'Svix',
      'Postern then: PostgreSQL, SQLite',
      'Goal',
      'Postern now, by part',
      'Met',
    ),
    '|---|---|---|---|---|---|---|',
    ...COMPARISONS.map(({ cells, part, row, read, unit = '', isMet }) => {
      const found = ENGINES.map((engine) => ({ engine, measured: find(part, engine, row) }))
      const figures = found.map(({ engine, measured }) => read(measured, engine))
      const all = found.every(({ engine, measured }, index) =>
        isMet(figures[index] as number, measured, engine),
      )
      return toRow(...cells, `\`${part}\`: ${figures.map(grouped).join('; ')}${unit}`, all ? 'yes' : '**no**')
    }),
  ]
}

/** The blocks of each document. */
const BLOCKS: Record<string, { name: string; lines: (find: Find) => string[] }> = {
  'docs/scaling.md': { name: 'capacity', lines: capacity },
  'docs/benchmarks.md': { name: 'other senders', lines: otherSenders },
}

/** The documents with calculated tables. */
export const WITH_FIGURES: readonly string[] = Object.keys(BLOCKS)

/**
 * @param file one of `WITH_FIGURES`
 * @param text its text
 * @param benchmarks the text of `docs/benchmarks.md`
 * @returns the document with its table calculated from the measured ones
 * @throws Error where it has no place for the table, or a measured row is absent
 */
export function withFigures(file: string, text: string, benchmarks: string): string {
  const { name, lines } = BLOCKS[file] as (typeof BLOCKS)[string]
  const [begin, end] = [
    `<!-- ${name}: written by \`npm run docs\` from docs/benchmarks.md -->`,
    `<!-- /${name} -->`,
  ]
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`${file} has no place for: ${name}`)
  return `${before}${begin}\n\n${lines(readTables(benchmarks)).join('\n')}\n\n${end}${after}`
}
