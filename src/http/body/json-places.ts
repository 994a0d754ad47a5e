import { ApiError } from '../../core/errors.ts'
import { type BodyLimits, UNKNOWN } from './body-limits.ts'

/** Values and member names in one place of arbitrary JSON, such as the `data` of an event. */
export const MOST_FREE = 50_000
/** Distinct names in such a place: parsing a new name costs many times as much as a known one. */
export const MOST_NAMES = 10_000
/** Values that the schema of a route does not know; they are parsed only to name them in the error. */
const MOST_UNKNOWN = 10_000
/** Levels of nesting in a body. Routes that accept arbitrary JSON have a much lower limit of their own. */
const DEEPEST = 20_000
/** Objects and lists of a body; each costs many times its bytes in memory. */
const MOST_CONTAINERS = 1_000_000
/** Longest member name that a schema may know. */
const LONGEST_NAME = 256

/** A list on the first level of a body, and the positions of its items. */
export interface ListSpan {
  name: string
  /** The positions of `[`, of the commas between items, and of `]`. */
  marks: number[]
}

/** The position in the schema while a JSON text is scanned. All functions throw ApiError VALIDATION_FAILED at a limit. */
interface Places {
  /** The lists of the first level that the schema knows, in the order of the text. */
  readonly lists: readonly ListSpan[]
  /** Whether no object or list is open. */
  isOutside(): boolean
  /** Whether the next string is the name of a member. */
  isAtName(): boolean
  /** A value begins, which is not a name: counts it. @returns its limits */
  value(): BodyLimits
  /** A name has ended. @param written the name with its quotes */
  name(written: string): void
  /** An object or a list begins or ends at `at`, or a comma is there. */
  open(isObject: boolean, at: number): void
  close(isObject: boolean, at: number): void
  comma(at: number): void
  /** @throws ApiError VALIDATION_FAILED that names the current field */
  refuse(reason: string, message: string): never
}

/** An object or a list that is open. */
interface Level {
  isObject: boolean
  limits: BodyLimits
  /** Members or items so far. */
  count: number
  /** The name of the current member, or the index of the current item. */
  name: string | number
  list: ListSpan | undefined
}

/** @throws ApiError VALIDATION_FAILED */
export function malformed(): never {
  throw new ApiError('VALIDATION_FAILED', { field: 'body', reason: 'malformed_json' })
}

/** Counts the values and names of a JSON text by the limits of a route. */
export function createPlaces(limits: BodyLimits): Places {
  const lists: ListSpan[] = []
  const levels: Level[] = []
  let top: Level | undefined
  let isAtName = false
  let [unknown, containers] = [MOST_UNKNOWN, MOST_CONTAINERS]
  /** The remaining values of the current free or unknown place, and the level at which it began; 0: none. */
  let [left, outer] = [0, 0]
  /** The names in the current free place. */
  const names = new Set<string>()

  function field(): string {
    const known = levels.slice(0, outer === 0 ? levels.length : outer - 1)
    const path = known.map(({ name }) => name).filter((name) => name !== '')
    return path.length === 0 ? 'body' : path.join('.').slice(0, LONGEST_NAME)
  }

  function refuse(reason: string, message: string): never {
    const code = 'VALIDATION_FAILED'
    throw new ApiError(code, { field: field(), reason, issues: [{ field: field(), code, message }] })
  }

  function value(): BodyLimits {
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

  return {
    lists,
    isOutside: () => top === undefined,
    isAtName: () => isAtName,
    value,
    name(written) {
      isAtName = false
      if (top === undefined) return
      top.count += 1
      if (outer === 0) top.name = nameOf(written)
      else if (top.limits.kind === 'any') {
        names.add(written)
        if (names.size > MOST_NAMES)
          refuse('too_many_names', `must NOT have more than ${MOST_NAMES} different names`)
      }
    },
    open(isObject, at) {
      let here = value()
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
      const isKnownList = levels.length === 1 && here.kind === 'list'
      const list = isKnownList ? { name: String(top?.name), marks: [at] } : undefined
      top = { isObject, limits: here, count: 0, name: '', list }
      levels.push(top)
      isAtName = isObject
    },
    close(isObject, at) {
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
      isAtName = false
    },
    comma(at) {
      if (top === undefined) malformed()
      top.list?.marks.push(at)
      isAtName = top.isObject
    },
    refuse,
  }
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
