/** Where a text stops being JSON, and why. Lines and columns count from 1. */
export interface Fault {
  line: number
  column: number
  words: string
}

/** A text read as JSON: its value and the line of each member, or the place of the first error. */
export type Reading =
  | { value: unknown; fault: undefined; lineOf: (path: string) => number | undefined }
  | { fault: Fault }

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const DEEPEST = 200

class Stop extends Error {
  readonly at: number
  constructor(at: number, words: string) {
    super(words)
    this.at = at
  }
}

/** Reads a text as JSON and keeps the place of each member, so that an error of the server for `data.lines.0` is shown at its line. */
export function readJson(text: string): Reading {
  const places = new Map<string, number>()
  try {
    scan(text, places)
    const lineOf = (path: string) => {
      // A missing member is reported at the nearest parent that exists.
      for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) {
        const place = places.get(at)
        if (place !== undefined) return lineAt(text, place).line
        if (at === '') return undefined
      }
    }
    return { value: JSON.parse(text), fault: undefined, lineOf }
  } catch (thrown) {
    if (thrown instanceof Stop) return { fault: { ...lineAt(text, thrown.at), words: thrown.message } }
    return { fault: { ...lineAt(text, text.length), words: String((thrown as Error).message) } }
  }
}

function lineAt(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

/** @throws Stop at the first letter that JSON does not have there */
function scan(text: string, places: Map<string, number>): void {
  let at = 0
  const blanks = () => {
    while (/[ \t\r\n]/.test(text.charAt(at))) at += 1
  }
  const stop = (words: string): never => {
    throw new Stop(at, at >= text.length ? 'unexpected end' : words)
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const string = () => {
    const found = take(STRING)
    if (found !== undefined) return found
    if (text.charAt(at) === "'") return stop('use double quotes')
    return stop(text.charAt(at) === '"' ? 'string not closed' : 'expected a name in double quotes')
  }
  const list = (close: string, item: (index: number) => void) => {
    at += 1
    blanks()
    for (let index = 0; text.charAt(at) !== close; index += 1) {
      item(index)
      blanks()
      if (text.charAt(at) === ',') {
        at += 1
        blanks()
        if (text.charAt(at) === close) stop('unexpected comma before this')
      } else if (text.charAt(at) !== close) stop(`expected a comma or ${close}`)
    }
    at += 1
  }
  const value = (path: string, depth: number) => {
    blanks()
    places.set(path, at)
    if (depth > DEEPEST) stop('nested too deeply')
    const under = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`)
    const first = text.charAt(at)
    if (first === '{') {
      const names = new Set<string>()
      list('}', () => {
        const start = at
        const name = JSON.parse(string()) as string
        if (names.has(name)) {
          at = start
          stop('duplicate name')
        }
        names.add(name)
        blanks()
        if (text.charAt(at) !== ':') stop('expected a colon')
        at += 1
        value(under(name), depth + 1)
      })
    } else if (first === '[') list(']', (index) => value(under(index), depth + 1))
    else if (first === '"' || first === "'") string()
    else if (take(WORD) === undefined) stop('unexpected character')
  }
  value('', 0)
  blanks()
  if (at < text.length) stop('unexpected text after the end')
}
