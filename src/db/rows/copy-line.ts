import type { ColumnType, Table } from './table.ts'

/** Characters that are escaped in the text format of PostgreSQL's COPY. */
const LETTERS: Record<string, string> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}
const CHARACTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const SPECIAL = /[\b\f\n\r\t\v\\]/
const EVERY_SPECIAL = /[\b\f\n\r\t\v\\]/g

/** A value in the form of the engines. */
export type Value = string | number | bigint | null | Uint8Array

/** Formats a row in the text format of `copy … to stdout`, with its line end. */
export function formatCopyLine(values: readonly Value[]): string {
  let line = ''
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? null
    if (index > 0) line += '\t'
    if (value === null) line += '\\N'
    else if (typeof value === 'string')
      line += SPECIAL.test(value) ? value.replace(EVERY_SPECIAL, (one) => LETTERS[one] as string) : value
    else if (typeof value === 'object')
      line += `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
    else line += value
  }
  return `${line}\n`
}

/**
 * Parses a line of `formatCopyLine`, with or without its line end.
 * @throws Error where the line does not fit the table
 */
export function parseCopyLine(line: string, { name, columns }: Pick<Table, 'name' | 'columns'>): Value[] {
  const fields = (line.endsWith('\n') ? line.slice(0, -1) : line).split('\t')
  if (fields.length !== columns.length)
    throw new Error(`a row of ${name} has ${fields.length} values, and its table ${columns.length} columns`)
  return fields.map((field, index) => fieldValue(field, columns[index]?.type ?? 'text'))
}

function fieldValue(field: string, type: ColumnType): Value {
  if (field === '\\N') return null
  switch (type) {
    case 'integer':
      return integerOf(field)
    case 'real':
      return Number(field)
    case 'bytes':
      return Buffer.from(field.slice('\\\\x'.length), 'hex')
    case 'text':
      return field.includes('\\') ? unescaped(field) : field
  }
}

/** @throws Error where the field is no integer */
function integerOf(field: string): number | bigint {
  const number = Number(field)
  return Number.isSafeInteger(number) ? number : BigInt(field)
}

function unescaped(field: string): string {
  let text = ''
  for (let at = 0; at < field.length; ) {
    const next = field.indexOf('\\', at)
    if (next === -1) return text + field.slice(at)
    const letter = field[next + 1] ?? ''
    text += field.slice(at, next) + (CHARACTERS[letter] ?? letter)
    at = next + 2
  }
  return text
}
