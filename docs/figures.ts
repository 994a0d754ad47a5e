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

/** A row of the comparison: results of others, goals, and the row of the bench. */
interface Comparison {
  cells: [name: string, outpost: string, svix: string, then: string, goal: string]
  now: (find: Find) => { text: string; isMet: boolean }
}

/** @param goals of PostgreSQL and SQLite */
function pair(
  part: string,
  read: (engine: Engine) => number,
  goals: [number, number],
  unit: string,
  isAtLeast: boolean,
) {
  const [postgres, sqlite] = [read('PostgreSQL'), read('SQLite')]
  const isMet = [postgres, sqlite].every((value, index) =>
    isAtLeast ? value >= (goals[index] ?? 0) : value <= (goals[index] ?? 0),
  )
  return { text: `\`${part}\`: ${grouped(postgres)}; ${grouped(sqlite)}${unit}`, isMet }
}

const P99 = /p99 ([\d.]+) ms/

const COMPARISONS: Comparison[] = [
  {
    cells: [
      'delivered a second, fan-out 1, 64 in flight',
      '2,017',
      '1,255',
      '2,944; 5,407',
      '3 × and 5 × the best: ≥ 6,051; ≥ 10,085',
    ],
    now: (find) =>
      pair(
        'post',
        (engine) => numberIn(find('post', engine, FAN_OUT_1).measured, /([\d,]+)\/s/),
        [6_051, 10_085],
        '',
        true,
      ),
  },
  {
    cells: [
      'delivered a second, fan-out 20',
      '2,391',
      '3,374',
      '4,639; 8,966',
      '2.5 × and 5 × the best: ≥ 8,435; ≥ 16,870',
    ],
    now: (find) =>
      pair(
        'post',
        (engine) => numberIn(find('post', engine, 'fan-out 20').measured, /([\d,]+) deliveries\/s/),
        [8_435, 16_870],
        '',
        true,
      ),
  },
  {
    cells: [
      'processor time of a delivery, all parts, fan-out 1',
      '854 µs',
      '1,412 µs',
      '441; 178 µs',
      '≤ 220; ≤ 140 µs',
    ],
    now: (find) =>
      pair(
        'cost',
        (engine) => {
          const { measured } = find('cost', engine, ONE)
          const database = engine === 'PostgreSQL' ? numberIn(measured, /PostgreSQL ([\d,]+) µs/) : 0
          return numberIn(measured, /^([\d,]+) µs/) + database
        },
        [220, 140],
        ' µs',
        false,
      ),
  },
  {
    cells: ['accepted → arrived at 200 a second, p95', '51.5 ms', '1.95 ms', '2.5; 1.3 ms', '≤ 1.9 ms'],
    now: (find) =>
      pair(
        'latency',
        (engine) =>
          numberIn(find('latency', engine, 'accepted → arrived at 200/s').measured, /p95 ([\d.]+) ms/),
        [1.9, 1.9],
        ' ms',
        false,
      ),
  },
  {
    cells: ['resident memory under load, without the brokers', '118 MB', '54 MB', '405; 484 MB', '≤ 200 MB'],
    now: (find) =>
      pair(
        'post',
        (engine) =>
          Math.max(...(find('post', engine, 'resident memory').measured.match(/\d+/g) ?? []).map(Number)),
        [200, 200],
        ' MB at most',
        false,
      ),
  },
  {
    cells: ['killed → accepting again, same data', '60 ms', '90 ms', '1,100; 1,050 ms', '≤ 350 ms'],
    now: (find) => {
      const read = (row: string) => (engine: Engine) =>
        numberIn(find('start', engine, row).measured, /^([\d,]+) ms/)
      const row = 'killed → accepting again'
      const clone = pair('start', read(row), [350, 350], ' ms', false)
      const packed = pair('start', read(`package: ${row}`), [350, 350], ' ms', false)
      return {
        text: `${clone.text}, of a package ${packed.text.split(': ')[1]}`,
        isMet: clone.isMet && packed.isMet,
      }
    },
  },
  {
    cells: [
      'a receiver of 300 ms at 600 a second',
      '333 a second',
      'keeps up',
      '53; 53 a second',
      'keeps up',
    ],
    now: (find) => {
      const rows = (['PostgreSQL', 'SQLite'] as const).map((engine) =>
        find('keeping-up', engine, 'answers of 300 ms'),
      )
      const isMet = rows.every((row) => row.isMet)
      return { text: `\`keeping-up\`: ${isMet ? 'keeps up' : 'falls behind'}`, isMet }
    },
  },
  ...(
    [
      [
        'an endpoint that never answers has 2,000 events',
        ['90 s', '85 s', '7; 2 ms'],
        'one webhook that never answers',
      ],
      ['1,000 such endpoints', ['', '', ''], '1,000 webhooks that never answer'],
    ] as const
  ).map(
    ([name, [outpost, svix, then], row]): Comparison => ({
      cells: [`${name}: p99 of another organization`, outpost, svix, then, 'no higher than without'],
      now: (find) => {
        const read = (cell: 'measured' | 'raw') => (engine: Engine) =>
          numberIn(find('neighbours', engine, row)[cell], P99)
        const without = [read('raw')('PostgreSQL'), read('raw')('SQLite')] as [number, number]
        const { text, isMet } = pair('neighbours', read('measured'), without, ' ms', false)
        return { text: `${text}, without ${without.join('; ')}`, isMet }
      },
    }),
  ),
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
    ...COMPARISONS.map(({ cells, now }) => {
      const { text, isMet } = now(find)
      return toRow(...cells, text, isMet ? 'yes' : '**no**')
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
