import type { Align, Block, Counter } from './kinds.ts'

/** A table of more columns is text. */
const MOST_COLUMNS = 50
const DELIMITER = /^ *:?-+:? *$/

/** The table whose head stands at a line, and the line behind its end; undefined where none begins. */
export function readTable(
  lines: string[],
  at: number,
  _depth: number,
  { counter }: { counter: Counter },
): [Block, number] | undefined {
  const [line, below] = [lines[at] ?? '', lines[at + 1] ?? '']
  if (!line.includes('|') || !below.includes('-')) return undefined
  counter.steps += below.length
  const delimiters = cellsOf(below)
  const head = cellsOf(line)
  const isTable =
    head.length === delimiters.length &&
    head.length <= MOST_COLUMNS &&
    (below.includes('|') || below.includes(':')) &&
    delimiters.every((cell) => DELIMITER.test(cell))
  if (!isTable) return undefined
  const rows: string[][] = []
  let next = at + 2
  for (; next < lines.length && (lines[next] ?? '').includes('|'); next += 1) {
    counter.steps += (lines[next] ?? '').length + 1
    rows.push(cellsOf(lines[next] ?? '').slice(0, head.length))
  }
  return [{ kind: 'table', head, aligns: delimiters.map(alignOf), rows }, next]
}

/** The cells of a row of a table; `\|` is a sign of its text. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  const row = line.trim()
  let cell = ''
  for (let at = row.startsWith('|') ? 1 : 0; at < row.length; at += 1) {
    const sign = row[at] ?? ''
    if (sign === '\\' && row[at + 1] === '|') {
      cell += '|'
      at += 1
    } else if (sign === '|') {
      cells.push(cell.trim())
      cell = ''
    } else cell += sign
  }
  if (!row.endsWith('|') || row.endsWith('\\|')) cells.push(cell.trim())
  return cells
}

function alignOf(delimiter: string): Align {
  const [left, right] = [delimiter.trim().startsWith(':'), delimiter.trim().endsWith(':')]
  if (right) return left ? 'center' : 'right'
  return left ? 'left' : undefined
}
