import { ApiError } from '../../core/errors.ts'
import type { BodyLimits } from './body-limits.ts'
import { createPlaces, type ListSpan, malformed } from './json-places.ts'

/** Characters of a string, a number or a run of white space, unless the schema allows a longer string. */
const LONGEST_TOKEN = 1024 * 1024

interface Scan {
  /**
   * Scans about this many characters.
   * @returns whether the text has ended
   * @throws ApiError VALIDATION_FAILED where the body exceeds the route's limits or is no JSON
   */
  advance(characters: number): boolean
  /** The lists of the first level that the schema knows, in the order of the text. */
  readonly lists: readonly ListSpan[]
}

/** What a character begins: up to `STRING` a token, or else a mark; the order matters. A number and a literal are words. */
const [WORD, SPACE, STRING, OBJECT, LIST, OBJECT_END, LIST_END, COMMA, COLON, NONE] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
] as const
const MARKS = { '"': STRING, '{': OBJECT, '[': LIST, '}': OBJECT_END, ']': LIST_END, ',': COMMA, ':': COLON }
const KIND_OF = Uint8Array.from({ length: 128 }, (_, code) =>
  code <= 0x20 ? SPACE : (MARKS[String.fromCharCode(code) as keyof typeof MARKS] ?? WORD),
)
const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** Whether a JSON text keeps the limits of arbitrary JSON. */
export function isCountable(text: string): boolean {
  try {
    const scan = scanJson(text, { kind: 'any' })
    while (!scan.advance(text.length));
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/**
 * Checks the limits of a JSON text before it is parsed, so that no oversized body is parsed. It does not validate the
 * syntax: the parser does.
 */
export function scanJson(text: string, limits: BodyLimits): Scan {
  const places = createPlaces(limits)
  let at = 0
  /** The kind of the token under way, its start, and its longest length as written. */
  let token: number = NONE
  let [start, most] = [0, LONGEST_TOKEN]
  /** The position of the next backslash, or the end of the text. */
  let backslash = -1

  function begin(kind: number): void {
    const isValue = kind === WORD || (kind === STRING && !places.isAtName())
    const here = isValue ? places.value() : undefined
    most = kind === STRING && here !== undefined ? longestWritten(here) : LONGEST_TOKEN
    token = kind
    start = at
    if (kind === STRING) at += 1
  }

  /** Advances to the end of the current token, or to `until`. */
  function goOn(until: number): void {
    const hasEnded = token === STRING ? endString(until) : endRun(until)
    if (at - start > most) places.refuse('too_long', 'must NOT be as long as it is')
    if (!hasEnded) return
    if (token === STRING && places.isAtName()) places.name(text.slice(start, at))
    token = NONE
  }

  function endRun(until: number): boolean {
    while (at < until && kindOf(text.charCodeAt(at)) === token) at += 1
    return at < until
  }

  function endString(until: number): boolean {
    if (backslash < at) backslash = indexOrEnd(text, '\\', at)
    const quote = indexOrEnd(text, '"', at)
    if (quote < backslash) {
      at = quote + 1
      return true
    }
    for (at = Math.max(at, backslash); at < until; at += 1) {
      const code = text.charCodeAt(at)
      // An escaped character does not end the string.
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) {
        at += 1
        return true
      }
    }
    if (at >= text.length) malformed()
    return false
  }

  return {
    lists: places.lists,
    advance(characters) {
      const until = Math.min(text.length, at + characters)
      while (at < until) {
        if (token !== NONE) {
          goOn(until)
          continue
        }
        const kind = kindOf(text.charCodeAt(at))
        if (kind <= STRING) {
          begin(kind)
          continue
        }
        if (kind === COMMA) places.comma(at)
        else if (kind <= LIST) places.open(kind === OBJECT, at)
        else if (kind <= LIST_END) places.close(kind === OBJECT_END, at)
        at += 1
      }
      if (at < text.length) return false
      if (token === STRING || !places.isOutside()) malformed()
      return true
    },
  }
}

function kindOf(code: number): number {
  return KIND_OF[code] ?? WORD
}

function indexOrEnd(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  return found === -1 ? text.length : found
}

/** Longest spelling of a string that the schema accepts: each character may be an escape of six. */
function longestWritten(limits: BodyLimits): number {
  return Math.max(LONGEST_TOKEN, limits.kind === 'scalar' ? 6 * limits.most + 2 : 0)
}
