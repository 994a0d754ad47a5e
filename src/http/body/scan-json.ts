import { ApiError } from '../../core/errors.ts'
import { type BodyLimits, UNKNOWN } from './body-limits.ts'

/** Values and member names in one place of arbitrary JSON, such as the `data` of an event. */
export const MOST_FREE = 50_000
/** Distinct names in such a place: parsing a new name costs many times as much as a known one. */
export const MOST_NAMES = 10_000
/** Values that the schema of a route does not know; they are parsed only to name them in the error. */
const MOST_UNKNOWN = 10_000
/** Characters of a string, a number or a run of white space, unless the schema allows a longer string. */
const LONGEST_TOKEN = 1024 * 1024
/** Levels of nesting in a body. Routes that accept arbitrary JSON have a much lower limit of their own. */
const DEEPEST = 20_000
/** Objects and lists of a body; each costs many times its bytes in memory. */
const MOST_CONTAINERS = 1_000_000

/** A list on the first level of a body, and the positions of its items. */
export interface ListSpan {
  name: string
  /** The positions of `[`, of the commas between items, and of `]`. */
  marks: number[]
}

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

interface Level {
  isObject: boolean
  limits: BodyLimits
  /** Members or items so far. */
  count: number
  /** The name of the current member, or the index of the current item. */
  name: string | number
  list: ListSpan | undefined
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d]
/** Longest member name that a schema may know. */
const LONGEST_NAME = 256

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
  const lists: ListSpan[] = []
  const levels: Level[] = []
  let at = 0
  let top: Level | undefined
  let isName = false
  let [isInString, isInWord, isInSpace] = [false, false, false]
  /** The position of the next backslash, or the end of the text. */
  let backslash = -1
  /** The start of the current string, number or white space, and its longest length as written. */
  let [tokenStart, tokenMost] = [0, LONGEST_TOKEN]
  let [unknown, containers] = [MOST_UNKNOWN, MOST_CONTAINERS]
  /** The remaining values of the current free or unknown place, and the level at which it began; 0: none. */
  let [left, outer] = [0, 0]
  /** The names in the current free place. */
  const names = new Set<string>()

  function field(): string {
    const known = levels.slice(0, outer === 0 ? levels.length : outer - 1)
    const names = known.map(({ name }) => name).filter((name) => name !== '')
    return names.length === 0 ? 'body' : names.join('.').slice(0, LONGEST_NAME)
  }

  function refuse(reason: string, message: string): never {
    const code = 'VALIDATION_FAILED'
    throw new ApiError(code, { field: field(), reason, issues: [{ field: field(), code, message }] })
  }

  function malformed(): never {
    throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
  }

  /** The limits of the value that begins at the current position; counts the value. */
  function limitsHere(): BodyLimits {
    if (top === undefined) return limits
    if (outer > 0) {
      // A name costs as much as a value.
      left -= top.isObject && top.limits.kind === 'any' ? 2 : 1
      const most = top.limits.kind === 'any' ? MOST_FREE : MOST_UNKNOWN
      if (left < 0) refuse('too_many_values', `must NOT have more than ${most} values and names`)
      return top.limits
    }
    const { limits: of } = top
    if (!top.isObject) {
      top.name = top.count
      top.count += 1
    }
    if (of.kind === 'list') {
      if (top.count > of.most) {
        levels.pop()
        refuse('too_many_items', `must NOT have more than ${of.most} items`)
      }
      return of.items
    }
    if (of.kind !== 'object') return UNKNOWN
    const known = of.members.get(String(top.name))
    // A repeated name counts as unknown.
    if (known === undefined || top.count > of.members.size) countUnknown()
    return known ?? of.rest
  }

  function countUnknown(): void {
    unknown -= 1
    if (unknown < 0)
      refuse('too_many_values', `must NOT have more than ${MOST_UNKNOWN} values that are not known here`)
  }

  function countName(written: string): void {
    names.add(written)
    if (names.size > MOST_NAMES)
      refuse('too_many_names', `must NOT have more than ${MOST_NAMES} names that differ`)
  }

  function open(isObject: boolean): void {
    let here = limitsHere()
    containers -= 1
    if (levels.length >= DEEPEST) refuse('too_deep', `must NOT have more than ${DEEPEST} levels`)
    if (containers < 0)
      refuse('too_many_values', `must NOT have more than ${MOST_CONTAINERS} objects and lists`)
    if (outer === 0 && here.kind !== (isObject ? 'object' : 'list')) {
      if (here.kind !== 'any') here = UNKNOWN
      outer = levels.length + 1
      left = here.kind === 'any' ? MOST_FREE : unknown
      names.clear()
    }
    const list =
      levels.length === 1 && here.kind === 'list' ? { name: String(top?.name), marks: [at] } : undefined
    top = { isObject, limits: here, count: 0, name: '', list }
    levels.push(top)
    isName = isObject
  }

  function close(isObject: boolean): void {
    if (top === undefined || top.isObject !== isObject) malformed()
    if (top.list !== undefined) {
      top.list.marks.push(at)
      lists.push(top.list)
    }
    if (outer === levels.length) {
      if (top.limits.kind !== 'any') unknown = left
      outer = 0
    }
    levels.pop()
    top = levels.at(-1)
    isName = false
  }

  function comma(): void {
    if (top === undefined) malformed()
    top.list?.marks.push(at)
    isName = top.isObject
  }

  /** Advances to the end of a string, or to `until`. */
  function endString(until: number): void {
    if (backslash < at) backslash = indexOrEnd('\\', at)
    const quote = indexOrEnd('"', at)
    if (quote < backslash) {
      leaveString(quote)
      return
    }
    for (at = Math.max(at, backslash); at < until; at += 1) {
      const code = text.charCodeAt(at)
      // An escaped character does not end the string.
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) {
        leaveString(at)
        return
      }
    }
    if (at >= text.length) malformed()
    measure()
  }

  function measure(): void {
    if (at - tokenStart > tokenMost) refuse('too_long', 'must NOT be as long as it is')
  }

  function begin(most: number): void {
    tokenStart = at
    tokenMost = Math.max(LONGEST_TOKEN, most)
  }

  function indexOrEnd(what: string, from: number): number {
    const found = text.indexOf(what, from)
    return found === -1 ? text.length : found
  }

  function leaveString(quote: number): void {
    isInString = false
    at = quote + 1
    measure()
    if (!isName || top === undefined) return
    isName = false
    top.count += 1
    if (outer === 0) top.name = nameOf(text.slice(tokenStart, at))
    else if (top.limits.kind === 'any') countName(text.slice(tokenStart, at))
  }

  return {
    lists,
    advance(characters) {
      const until = Math.min(text.length, at + characters)
      while (at < until) {
        if (isInString) {
          endString(until)
          continue
        }
        if (isInWord) {
          at = endOfWord(text, at, until)
          isInWord = at === until
          measure()
          continue
        }
        if (isInSpace) {
          while (at < until && text.charCodeAt(at) <= 0x20) at += 1
          isInSpace = at === until
          measure()
          continue
        }
        const code = text.charCodeAt(at)
        if (code === QUOTE) {
          begin(isName ? 0 : longestWritten(limitsHere()))
          isInString = true
          at += 1
        } else if (code === OBJECT || code === LIST) {
          open(code === OBJECT)
          at += 1
        } else if (code === OBJECT_END || code === LIST_END) {
          close(code === OBJECT_END)
          at += 1
        } else if (code === COMMA) {
          comma()
          at += 1
        } else if (code === COLON) at += 1
        else {
          begin(0)
          isInSpace = code <= 0x20
          isInWord = !isInSpace
          if (isInWord) limitsHere()
        }
      }
      if (at < text.length) return false
      if (isInString || levels.length > 0) malformed()
      return true
    },
  }
}

/** Longest spelling of a string that the schema accepts: each character may be an escape of six. */
function longestWritten(limits: BodyLimits): number {
  return limits.kind === 'scalar' ? 6 * limits.most + 2 : 0
}

/** The index after a number or a word, or `until`. */
function endOfWord(text: string, from: number, until: number): number {
  let at = from
  while (at < until) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === COMMA || code === OBJECT_END || code === LIST_END) return at
    if (code === QUOTE || code === COLON || code === OBJECT || code === LIST) return at
    at += 1
  }
  return at
}

/** The decoded name of a quoted string; a name that is too long for any schema is cut. */
function nameOf(written: string): string {
  if (written.length > LONGEST_NAME || !written.includes('\\'))
    return written.slice(1, -1).slice(0, LONGEST_NAME)
  try {
    return JSON.parse(written) as string
  } catch {
    return written
  }
}
