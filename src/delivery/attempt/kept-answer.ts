import { fromIso, SECOND, toDate } from '../../core/clock.ts'

/**
 * Headers that many servers answer with word for word: a record keeps the letter of each. Letters are never given to another
 * one: records that were written before name it so.
 */
const LINES: Record<string, string> = {
  A: 'connection: keep-alive',
  B: 'connection: close',
  C: 'keep-alive: timeout=5',
  D: 'transfer-encoding: chunked',
  E: 'content-length: 0',
  F: 'content-length: 2',
  G: 'content-type: application/json',
  H: 'content-type: application/json; charset=utf-8',
  I: 'content-type: text/plain',
  J: 'content-type: text/plain; charset=utf-8',
  K: 'content-type: text/html; charset=utf-8',
  L: 'server: nginx',
  M: 'server: cloudflare',
  N: 'x-powered-by: Express',
  O: 'vary: Accept-Encoding',
  P: 'cache-control: no-cache',
  Q: 'cache-control: no-store',
  R: 'strict-transport-security: max-age=31536000; includeSubDomains',
  S: 'x-content-type-options: nosniff',
  T: 'alt-svc: h3=":443"; ma=86400',
}

/** The same for names alone, before the value. */
const NAMES: Record<string, string> = {
  a: 'content-length',
  b: 'content-type',
  c: 'server',
  e: 'etag',
  f: 'x-request-id',
  g: 'cf-ray',
  h: 'cache-control',
  i: 'vary',
  j: 'strict-transport-security',
  k: 'keep-alive',
  l: 'location',
  m: 'set-cookie',
  n: 'x-powered-by',
  o: 'via',
}

/** Before the seconds of a `date`, and before a name that has no letter. */
const [DATE, OTHER] = ['d', ':']
const [BREAK, RADIX] = ['\n', 36]

const turned = (table: Record<string, string>) =>
  new Map(Object.entries(table).map(([letter, text]) => [text, letter]))
const LETTER_OF_LINE = turned(LINES)
const LETTER_OF_NAME = turned(NAMES)

/** Control characters, because PostgreSQL takes no text with a NUL, and halves of surrogate pairs. Headers with them are kept as JSON. */
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** The stored form of the headers of an answer: common headers as one or two letters each; all as JSON if that is not possible. */
export function keepAnswer(headers: Record<string, string>): string {
  const kept: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (UNFIT.test(value) || UNFIT.test(name) || name.includes(':')) return JSON.stringify(headers)
    kept.push(keepLine(name, value))
  }
  return kept.join(BREAK)
}

function keepLine(name: string, value: string): string {
  const line = LETTER_OF_LINE.get(`${name}: ${value}`)
  if (line !== undefined) return line
  const date = name === 'date' ? keepDate(value) : undefined
  if (date !== undefined) return DATE + date
  const letter = LETTER_OF_NAME.get(name)
  return letter === undefined ? `${OTHER}${name}:${value}` : letter + value
}

/** The last date that was kept: many answers have the same one. */
let last: { text: string; kept: string | undefined } = { text: '', kept: undefined }

/** Seconds; undefined where they would not be read as the same text. */
function keepDate(text: string): string | undefined {
  if (last.text === text) return last.kept
  const moment = fromIso(text)
  const kept =
    moment !== undefined && toHeader(moment) === text ? (moment / SECOND).toString(RADIX) : undefined
  last = { text, kept }
  return kept
}

const toHeader = (moment: number) => (Number.isNaN(moment) ? undefined : toDate(moment).toUTCString())

/** Decodes what `keepAnswer` encoded. */
export function readAnswer(kept: string): Record<string, string> {
  if (kept.startsWith('{')) return JSON.parse(kept) as Record<string, string>
  if (kept === '') return {}
  return Object.fromEntries(kept.split(BREAK).map(readLine))
}

function readLine(kept: string): [name: string, value: string] {
  const [letter = '', rest] = [kept[0], kept.slice(1)]
  const line = LINES[letter]
  if (line !== undefined) return halves(line, ': ')
  if (letter === DATE) return ['date', toHeader(Number.parseInt(rest, RADIX) * SECOND) ?? '']
  return letter === OTHER ? halves(rest, ':') : [NAMES[letter] ?? '', rest]
}

function halves(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at + separator.length)]
}
