import { ApiError } from '../../core/errors.ts'
import { type Shape, STRAY } from './shape.ts'

/** Values, and names of members, in one place where a body may hold whatever the caller likes, such as the `data` of an event. */
export const MOST_FREE = 50_000
/** Names in such a place that differ: reading a new name costs many times what reading a known one does. */
export const MOST_NAMES = 10_000
/** Values that the schema of a route does not know; they are read only to be named. */
const MOST_STRAY = 10_000
/** Characters of a text or a number, and white space without a break, unless the schema takes a longer text. */
const LONGEST_TOKEN = 1024 * 1024
/** Levels of a body. What takes JSON of any shape takes far fewer, and says so itself. */
const DEEPEST = 20_000
/** Objects and lists of a body; each costs many times its bytes. */
const MOST_CONTAINERS = 1_000_000

/** A list of a body's first level: where each of its items stands in the text. */
export interface Cut {
  name: string
  /** The places of `[`, of the commas between the items, and of `]`. */
  marks: number[]
}

interface Scan {
  /**
   * Looks at the next characters of the text, about so many.
   * @returns whether that was the last of it
   * @throws ApiError VALIDATION_FAILED where a body holds more than its route can take, or is no JSON
   */
  advance(characters: number): boolean
  /** The lists of the first level that its schema knows, in their order. */
  readonly cuts: readonly Cut[]
}

interface Level {
  isObject: boolean
  shape: Shape
  /** Its members or items so far. */
  count: number
  /** The name or the number of the one that is being read. */
  name: string | number
  cut: Cut | undefined
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d]
/** Names that a schema may know are no longer. */
const LONGEST_NAME = 256

/** Whether a text, if it is JSON, is no more than may stand where anything may. */
export function isCountable(text: string): boolean {
  try {
    const scan = scanJson(text, { kind: 'free' })
    while (!scan.advance(text.length));
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/**
 * Counts what a JSON text holds before it is parsed, so that nothing is parsed that its route can only refuse. It does not check
 * that all of it is JSON: the parser does.
 */
export function scanJson(text: string, shape: Shape): Scan {
  const cuts: Cut[] = []
  const levels: Level[] = []
  let at = 0
  let top: Level | undefined
  let isName = false
  let [isInString, isInWord, isInSpace] = [false, false, false]
  /** Where the next backslash is, or the end of the text. */
  let backslash = -1
  /** Where the text, the number or the white space began that is being read, and how long it may be as it is written. */
  let [tokenStart, tokenMost] = [0, LONGEST_TOKEN]
  let [stray, containers] = [MOST_STRAY, MOST_CONTAINERS]
  /** The values of the free or stray place that is being read, and at which level it began; 0: none. */
  let [left, outer] = [0, 0]
  /** The names of the free place that is being read. */
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

  /** The shape of the value that begins here, which is counted. */
  function shapeHere(): Shape {
    if (top === undefined) return shape
    if (outer > 0) {
      // A name costs as much as a value.
      left -= top.isObject && top.shape.kind === 'free' ? 2 : 1
      const most = top.shape.kind === 'free' ? MOST_FREE : MOST_STRAY
      if (left < 0) refuse('too_many_values', `must NOT have more than ${most} values and names`)
      return top.shape
    }
    const { shape: of } = top
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
    if (of.kind !== 'object') return STRAY
    const known = of.members.get(String(top.name))
    // Named again and again is not known either.
    if (known === undefined || top.count > of.members.size) takeStray()
    return known ?? of.rest
  }

  function takeStray(): void {
    stray -= 1
    if (stray < 0)
      refuse('too_many_values', `must NOT have more than ${MOST_STRAY} values that are not known here`)
  }

  function takeName(written: string): void {
    names.add(written)
    if (names.size > MOST_NAMES)
      refuse('too_many_names', `must NOT have more than ${MOST_NAMES} names that differ`)
  }

  function open(isObject: boolean): void {
    let here = shapeHere()
    containers -= 1
    if (levels.length >= DEEPEST) refuse('too_deep', `must NOT have more than ${DEEPEST} levels`)
    if (containers < 0)
      refuse('too_many_values', `must NOT have more than ${MOST_CONTAINERS} objects and lists`)
    if (outer === 0 && here.kind !== (isObject ? 'object' : 'list')) {
      if (here.kind !== 'free') here = STRAY
      outer = levels.length + 1
      left = here.kind === 'free' ? MOST_FREE : stray
      names.clear()
    }
    const cut =
      levels.length === 1 && here.kind === 'list' ? { name: String(top?.name), marks: [at] } : undefined
    top = { isObject, shape: here, count: 0, name: '', cut }
    levels.push(top)
    isName = isObject
  }

  function close(isObject: boolean): void {
    if (top === undefined || top.isObject !== isObject) malformed()
    if (top.cut !== undefined) {
      top.cut.marks.push(at)
      cuts.push(top.cut)
    }
    if (outer === levels.length) {
      if (top.shape.kind !== 'free') stray = left
      outer = 0
    }
    levels.pop()
    top = levels.at(-1)
    isName = false
  }

  function comma(): void {
    if (top === undefined) malformed()
    top.cut?.marks.push(at)
    isName = top.isObject
  }

  /** Moves on in a string to its end, or to `until`. */
  function endString(until: number): void {
    if (backslash < at) backslash = indexOrEnd('\\', at)
    const quote = indexOrEnd('"', at)
    if (quote < backslash) {
      leaveString(quote)
      return
    }
    for (at = Math.max(at, backslash); at < until; at += 1) {
      const code = text.charCodeAt(at)
      // What stands after a backslash is no end.
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
    else if (top.shape.kind === 'free') takeName(text.slice(tokenStart, at))
  }

  return {
    cuts,
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
          begin(isName ? 0 : writtenMost(shapeHere()))
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
          if (isInWord) shapeHere()
        }
      }
      if (at < text.length) return false
      if (isInString || levels.length > 0) malformed()
      return true
    },
  }
}

/** As many characters as a text may be written with that a schema takes. */
function writtenMost(shape: Shape): number {
  return shape.kind === 'scalar' ? 6 * shape.most + 2 : 0
}

/** Where a number or a word has ended, or `until`. */
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

/** The name that a string in quotes is; a long one is no name that a schema knows. */
function nameOf(written: string): string {
  if (written.length > LONGEST_NAME || !written.includes('\\'))
    return written.slice(1, -1).slice(0, LONGEST_NAME)
  try {
    return JSON.parse(written) as string
  } catch {
    return written
  }
}
