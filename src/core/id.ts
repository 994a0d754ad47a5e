import { randomFillSync } from 'node:crypto'
import { type Millis, SECOND } from './clock.ts'
import { ApiError } from './errors.ts'

/** The prefixes of ids. An id is a readable prefix and a UUID v7 (RFC 9562 5.7), which orders by time: `whk_0198c1f2-…`. */
const PREFIX = {
  organization: 'org',
  account: 'acc',
  session: 'ses',
  invitation: 'inv',
  role: 'rol',
  domain: 'dom',
  scimUser: 'scu',
  scimGroup: 'scg',
  scimExchange: 'sce',
  identityProvider: 'idp',
  setupLink: 'sul',
  webhook: 'whk',
  event: 'evt',
  fanOut: 'fan',
  delivery: 'dlv',
  listenerClaim: 'lcl',
  job: 'job',
  attempt: 'att',
  capture: 'cap',
  replay: 'rpl',
  apiKey: 'key',
  factor: 'fac',
  serviceAccount: 'svc',
  platformKey: 'pky',
  connection: 'con',
  request: 'req',
  audit: 'aud',
  auditStream: 'aus',
  mail: 'mal',
  ledgerEntry: 'led',
  reservation: 'rsv',
  checkout: 'chk',
  blob: 'blb',
  file: 'fil',
  knowledgeBase: 'knb',
  document: 'doc',
  agent: 'agt',
  run: 'run',
  step: 'stp',
  conversation: 'cnv',
  message: 'msg',
  mcpServer: 'mcp',
  grant: 'grt',
  oauthClient: 'ocl',
} as const

export type Kind = keyof typeof PREFIX

/** The prefix of the ids of a kind, without the `_`. */
export const prefixOf = (kind: Kind): string => PREFIX[kind]
export const KINDS = Object.keys(PREFIX) as Kind[]

declare const kind: unique symbol
/** The id of one kind of thing; only this file makes one. */
export type Id<K extends Kind> = string & { readonly [kind]: K }

const UUID_V7 = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}'

/** The pattern of an id that a caller sends: with its prefix, or the bare UUID v7. */
export const ID_PATTERN = Object.fromEntries(
  KINDS.map((kind) => [kind, `^(${PREFIX[kind]}_)?${UUID_V7}$`]),
) as Record<Kind, string>

/** The longest id: prefix, `_`, UUID. */
export const LONGEST_ID = 40

const READABLE = Object.fromEntries(KINDS.map((kind) => [kind, new RegExp(ID_PATTERN[kind])])) as Record<
  Kind,
  RegExp
>

/** Random bytes for many ids at a time: one system call per id would be most of its cost. */
const pool = Buffer.allocUnsafe(10 * 256)
let drawn = pool.length
/** The millisecond of the last id, and its counter within it. */
let lastMoment = 0
let sequence = 0

/** Ids of one millisecond; further ones use the next millisecond. */
const MOST_PER_MOMENT = 0x1000
/** The counter of a new millisecond starts at random, at most here, so that enough values remain. */
const FIRST_MOST = 0x7ff
/** Ids keep their order when the clock is set back by up to this much; beyond it they follow the clock. */
export const TOLERATED_SETBACK: Millis = 10 * SECOND

/** Advances the millisecond and the counter to those of the next id. */
function advance(now: Millis, random: number): void {
  const isBehind = now <= lastMoment && lastMoment - now <= TOLERATED_SETBACK
  if (isBehind && sequence + 1 < MOST_PER_MOMENT) {
    sequence += 1
  } else {
    lastMoment = isBehind ? lastMoment + 1 : now
    sequence = random & FIRST_MOST
  }
}

/**
 * Makes an id. Ids are ordered by `now` and, within one millisecond, by the order of the calls (RFC 9562 6.2 method 1: `rand_a` is a
 * counter that starts at a random value). One process keeps the order also beyond 4,096 ids a millisecond, and when its clock is set
 * back by up to `TOLERATED_SETBACK`.
 */
export function newId<K extends Kind>(of: K, now: Millis): Id<K> {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  const random = pool.subarray(drawn, drawn + 10)
  drawn += random.length
  advance(now, random.readUInt16BE(0))
  const time = lastMoment.toString(16).padStart(12, '0')
  const tail = random.toString('hex', 2)
  const variant = (8 | (Number.parseInt(tail.charAt(0), 16) & 3)).toString(16)
  const counter = sequence.toString(16).padStart(3, '0')
  return `${PREFIX[of]}_${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}` as Id<K>
}

/**
 * @returns a moment whose floor (`idFloor`) is above every id that this process has made and at or below every later one: `now`, or
 * later where ids have run ahead of the clock
 */
export function nextIdBoundary(now: Millis): Millis {
  const isAhead = now <= lastMoment && lastMoment - now <= TOLERATED_SETBACK
  lastMoment = isAhead ? lastMoment + 1 : now
  sequence = 0
  return lastMoment
}

/**
 * A deterministic id for a thing without a row: the same for the same owner, moment and place. Its random part is that of its
 * owner, so it differs from all other ids.
 */
export function derivedId<K extends Kind>(of: K, owner: Id<Kind>, moment: Millis, place: number): Id<K> {
  const counter = (place % MOST_PER_MOMENT).toString(16).padStart(3, '0')
  return `${idFloor(of, moment).slice(0, -22)}7${counter}${owner.slice(-18)}` as Id<K>
}

/** An id below every id that was made at `moment` or later. */
export function idFloor<K extends Kind>(of: K, moment: Millis): Id<K> {
  const time = Math.max(0, moment).toString(16).padStart(12, '0')
  return `${PREFIX[of]}_${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000` as Id<K>
}

/** The millisecond in an id. */
export function momentOf(id: Id<Kind>): Millis {
  return Number.parseInt(id.slice(-36, -28) + id.slice(-27, -23), 16)
}

/** Reads an id with its prefix or as the bare UUID v7; undefined when it is neither. */
export function readId<K extends Kind>(of: K, text: string): Id<K> | undefined {
  if (!READABLE[of].test(text)) return undefined
  return `${PREFIX[of]}_${text.slice(-36).toLowerCase()}` as Id<K>
}

/**
 * As `readId`, for an id that a caller sent in `field`.
 * @throws ApiError INVALID_UUID
 */
export function parseId<K extends Kind>(of: K, text: string, field = 'id'): Id<K> {
  const id = readId(of, text)
  if (id === undefined) throw new ApiError('INVALID_UUID', { field, value: text })
  return id
}

/** Bytes of a packed id. */
export const ID_BYTES = 16

/** Packs ids without their prefix, `ID_BYTES` each. */
export function packIds(ids: Id<Kind>[]): Uint8Array {
  return Buffer.from(ids.map((id) => id.slice(id.indexOf('_') + 1).replaceAll('-', '')).join(''), 'hex')
}

/** Unpacks the result of `packIds`. */
export function unpackIds<K extends Kind>(of: K, bytes: Uint8Array): Id<K>[] {
  const uuids = Buffer.from(bytes).toString('hex').match(/.{32}/g) ?? []
  return uuids.map((hex) => {
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    return `${PREFIX[of]}_${parts.join('-')}` as Id<K>
  })
}
