import { readFileSync } from 'node:fs'

export type Json = Record<string, unknown>

/** The path of a value in a file, and the list that collects its problems. */
export interface Place {
  path: string
  problems: string[]
}

/**
 * The JSON value that a file holds.
 * @param problems gets one line where the file cannot be read or is no JSON
 */
export function readJsonFile(file: string, problems: string[]): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    problems.push(code === undefined ? `is not JSON${placeOf(message)}` : `cannot be read: ${code}`)
    return undefined
  }
}

/** The position of a syntax error, where the message has it. The text itself is never shown, as it may contain a secret. */
function placeOf(message: string): string {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? []
  return line === undefined ? '' : `: see line ${line}, column ${column}`
}

/**
 * The value as an object.
 * @param members the names that it may have; any unless given
 */
export function objectAt(value: unknown, place: Place, members?: readonly string[]): Json | undefined {
  if (!isObject(value)) {
    const holds = members === undefined ? '' : ` with ${members.join(', ')}`
    say(place, `must be an object${holds}`, value)
    return undefined
  }
  for (const name of Object.keys(value)) {
    if (members !== undefined && !members.includes(name))
      say(at(place, name), `is not known here; there are ${members.join(', ')}`)
  }
  return value
}

/** Whether a value is an object, not a list or null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The path of a member. */
export function at({ path, problems }: Place, name: string): Place {
  const isPlain = /^[\w-]+$/.test(name)
  const member = isPlain ? name : `["${name.slice(0, 40)}"]`
  return { path: path === '' || !isPlain ? `${path}${member}` : `${path}.${member}`, problems }
}

/** Adds a problem with the value that causes it. */
export function say({ path, problems }: Place, problem: string, value?: unknown): void {
  const shown = value === undefined ? '' : ` (it is ${(JSON.stringify(value) ?? String(value)).slice(0, 60)})`
  problems.push(`${path === '' ? 'the file' : path} ${problem}${shown}`)
}
