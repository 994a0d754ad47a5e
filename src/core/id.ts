import { randomFillSync } from 'node:crypto'
import type { Millis } from './clock.ts'
import { ApiError } from './errors.ts'

/** A prefix for people, a UUID v7 (RFC 9562 5.7) for order: `whk_0198c1f2-…`. */
const PREFIX = {
  organization: 'org',
  account: 'acc',
  session: 'ses',
  invitation: 'inv',
  webhook: 'whk',
  event: 'evt',
  fanOut: 'fan',
  delivery: 'dlv',
  attempt: 'att',
  capture: 'cap',
  replay: 'rpl',
  apiKey: 'key',
  connection: 'con',
  request: 'req',
  audit: 'aud',
  mail: 'mal',
  ledgerEntry: 'led',
  reservation: 'rsv',
  checkout: 'chk',
} as const

export type Kind = keyof typeof PREFIX
export const KINDS = Object.keys(PREFIX) as Kind[]

declare const kind: unique symbol
/** An identifier of one kind of thing; only this file makes one. */
export type Id<K extends Kind> = string & { readonly [kind]: K }

const UUID_V7 = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}'

/** What an identifier that a caller sends looks like: prefixed, or the bare UUID v7. */
export const ID_PATTERN = Object.fromEntries(
  KINDS.map((kind) => [kind, `^(${PREFIX[kind]}_)?${UUID_V7}$`]),
) as Record<Kind, string>

const READABLE = Object.fromEntries(KINDS.map((kind) => [kind, new RegExp(ID_PATTERN[kind])])) as Record<
  Kind,
  RegExp
>

/** Randomness is drawn for many ids at a time: one system call an id would be most of its cost. */
const pool = Buffer.allocUnsafe(10 * 256)
let drawn = pool.length
let lastMillis = 0
let sequence = 0

/**
 * A new identifier, ordered by `now` and, within one millisecond, by the order of the calls
 * (RFC 9562 6.2 method 1: `rand_a` is a counter that starts at a random value).
 */
export function newId<K extends Kind>(of: K, now: Millis): Id<K> {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  const random = pool.subarray(drawn, drawn + 10)
  drawn += random.length
  if (now !== lastMillis) {
    lastMillis = now
    sequence = random.readUInt16BE(0) & 0x7ff
  } else {
    sequence = (sequence + 1) & 0xfff
  }
  const time = now.toString(16).padStart(12, '0')
  const tail = random.toString('hex', 2)
  const variant = (8 | (Number.parseInt(tail.charAt(0), 16) & 3)).toString(16)
  const counter = sequence.toString(16).padStart(3, '0')
  return `${PREFIX[of]}_${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}` as Id<K>
}

/** An identifier below every one that was made at `moment` or later. */
export function idFloor<K extends Kind>(of: K, moment: Millis): Id<K> {
  const time = Math.max(0, moment).toString(16).padStart(12, '0')
  return `${PREFIX[of]}_${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000` as Id<K>
}

/** Reads an identifier in its prefixed form or as the bare UUID v7; undefined when it is neither. */
export function readId<K extends Kind>(of: K, text: string): Id<K> | undefined {
  if (!READABLE[of].test(text)) return undefined
  return `${PREFIX[of]}_${text.slice(-36).toLowerCase()}` as Id<K>
}

/**
 * As `readId`, for an identifier that a caller sent in `field`.
 * @throws ApiError INVALID_UUID
 */
export function parseId<K extends Kind>(of: K, text: string, field = 'id'): Id<K> {
  const id = readId(of, text)
  if (id === undefined) throw new ApiError('INVALID_UUID', { field, value: text })
  return id
}

/** Identifiers, 16 bytes each, for lists of many. */
export function packIds(ids: Id<Kind>[]): Uint8Array {
  return Buffer.from(ids.map((id) => id.slice(id.indexOf('_') + 1).replaceAll('-', '')).join(''), 'hex')
}

/** What `packIds` has packed. */
export function unpackIds<K extends Kind>(of: K, bytes: Uint8Array): Id<K>[] {
  const uuids = Buffer.from(bytes).toString('hex').match(/.{32}/g) ?? []
  return uuids.map((hex) => {
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    return `${PREFIX[of]}_${parts.join('-')}` as Id<K>
  })
}
