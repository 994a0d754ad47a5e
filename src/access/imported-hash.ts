import { scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Loaded with the first hash of their kind. */
const argon2 = () => import('@node-rs/argon2')
const bcrypt = () => import('@node-rs/bcrypt')
const derive = promisify<Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
)

/** A password hash of another system, in the one form in which it is kept. */
export interface ImportedHash {
  stored: string
  algorithm: 'argon2id' | 'argon2i' | 'bcrypt' | 'scrypt'
  /** The algorithm with its cost: a comparison takes the same time with every hash that has the same. */
  kind: string
}

/** Why a hash is refused. */
type HashRefusal = 'unknown_format' | 'too_costly'

/** No hash of the formats below is longer. */
const LONGEST_HASH = 256
const MIB = 1_024 * 1_024

/** The most that one comparison may cost, about half a second and 128 MiB, because it delays other requests. */
const MOST = { bcryptCost: 13, memory: 128 * MIB, memoryTimesPasses: 512 * MIB, lanes: 16 }

interface Format {
  pattern: RegExp
  /** @param parts the groups of the pattern. @returns undefined where it costs too much */
  read: (parts: string[]) => Omit<ImportedHash, 'algorithm'> | undefined
  /** A hash that no password matches. @param cost the cost parameters of the algorithm */
  decoy: (cost: number[]) => string
  verify: (stored: string, password: string) => Promise<boolean>
}

/** Base64 without its padding: of a salt of 8 to 48 bytes, and of a key of 16 to 64. */
const SALT = '([A-Za-z0-9+/]{11,64})'
const KEY = '([A-Za-z0-9+/]{22,86})'
/** Random bytes, which are the hash of no known password. */
const DECOY_SALT = 'Whsy+lhWfcz4GPy+5K5M0g'
const DECOY_KEY = 'DNcUNtt5oArS7SeJhdvk8UxuyeIUy7yggna0S9jx+Gs'

function argon2Format(algorithm: 'argon2id' | 'argon2i'): Format {
  const write = (cost: (number | undefined)[], salt: string, key: string) =>
    `$${algorithm}$v=19$m=${cost[0]},t=${cost[1]},p=${cost[2]}$${salt}$${key}`
  return {
    pattern: new RegExp(
      `^\\$${algorithm}\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,3}),p=(\\d{1,3})\\$${SALT}\\$${KEY}$`,
    ),
    read([m, t, p, salt = '', key = '']) {
      const [memory, passes, lanes] = [Number(m) * 1_024, Number(t), Number(p)]
      const isPossible = passes >= 1 && lanes >= 1 && Number(m) >= 8 * lanes
      const isCheap =
        memory <= MOST.memory && memory * passes <= MOST.memoryTimesPasses && lanes <= MOST.lanes
      if (!isPossible || !isCheap) return undefined
      const cost = [Number(m), passes, lanes]
      return { stored: write(cost, salt, key), kind: [algorithm, ...cost].join(' ') }
    },
    decoy: (cost) => write(cost, DECOY_SALT, DECOY_KEY),
    verify: async (stored, password) => (await argon2()).verify(stored, password),
  }
}

const SCRYPT = new RegExp(`^\\$scrypt\\$ln=(\\d{1,2}),r=(\\d{1,3}),p=(\\d{1,3})\\$${SALT}\\$${KEY}$`)

const FORMATS: Record<ImportedHash['algorithm'], Format> = {
  argon2id: argon2Format('argon2id'),
  argon2i: argon2Format('argon2i'),
  bcrypt: {
    // 2a, 2b and 2y are one algorithm; 2x is the one of a faulty program.
    pattern: /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{53})$/,
    read([cost, rest]) {
      const isCheap = Number(cost) >= 4 && Number(cost) <= MOST.bcryptCost
      return isCheap ? { stored: `$2b$${cost}$${rest}`, kind: `bcrypt ${Number(cost)}` } : undefined
    },
    decoy: ([cost]) =>
      `$2b$${String(cost).padStart(2, '0')}$Whsy.lhWfcz4GPy.5K5M0eDNcUNtt5oArS7SeJhdvk8UxuyeIUy7y`,
    verify: async (stored, password) => (await bcrypt()).verify(password, stored),
  },
  scrypt: {
    pattern: SCRYPT,
    read([ln, r, p, salt, key]) {
      const memory = 2 ** Number(ln) * Number(r) * 128
      const isPossible = Number(ln) >= 1 && Number(r) >= 1 && Number(p) >= 1
      const isCheap =
        memory <= MOST.memory && memory * Number(p) <= MOST.memoryTimesPasses && Number(p) <= MOST.lanes
      if (!isPossible || !isCheap) return undefined
      const [a, b, c] = [Number(ln), Number(r), Number(p)]
      return { stored: `$scrypt$ln=${a},r=${b},p=${c}$${salt}$${key}`, kind: `scrypt ${a} ${b} ${c}` }
    },
    decoy: ([ln, r, p]) => `$scrypt$ln=${ln},r=${r},p=${p}$${DECOY_SALT}$${DECOY_KEY}`,
    async verify(stored, password) {
      const [ln, r, p, salt = '', key = ''] = SCRYPT.exec(stored)?.slice(1) ?? []
      const wanted = Buffer.from(key, 'base64')
      const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 * MOST.memory }
      const made = await derive(Buffer.from(password), Buffer.from(salt, 'base64'), wanted.length, cost)
      return timingSafeEqual(made, wanted)
    },
  },
}

/**
 * Reads a hash in PHC form (argon2id, argon2i, scrypt) or in modular crypt form (bcrypt).
 * @returns why it is refused, where it is
 */
export function readHash(text: string): ImportedHash | HashRefusal {
  if (text.length > LONGEST_HASH) return 'unknown_format'
  for (const [algorithm, { pattern, read }] of Object.entries(FORMATS)) {
    const parts = pattern.exec(text)?.slice(1)
    if (parts === undefined) continue
    // Extra bits after the last byte, which some programs refuse and others ignore.
    if (algorithm !== 'bcrypt' && !parts.slice(-2).every(isWhole)) return 'unknown_format'
    const hash = read(parts)
    return hash === undefined ? 'too_costly' : { ...hash, algorithm: algorithm as ImportedHash['algorithm'] }
  }
  return 'unknown_format'
}

function isWhole(base64: string): boolean {
  return (
    Buffer.from(base64, 'base64')
      .toString('base64')
      .replace(/={1,2}$/, '') === base64
  )
}

/**
 * Compares a typed password, and its NFKC form, with a hash that `readHash` accepts, because other systems hashed either form. A hash
 * that cannot be compared is not equal. Nor is a password with a NUL: some programs end bcrypt's input there, and scrypt (HMAC) ignores
 * one at the end.
 */
export async function verifyImported(stored: string, typed: string): Promise<boolean> {
  const hash = readHash(stored)
  if (typeof hash === 'string') return false
  const { verify } = FORMATS[hash.algorithm]
  for (const password of new Set([typed, typed.normalize('NFKC')]))
    if ((await verify(stored, password).catch(() => false)) && !password.includes('\0')) return true
  return false
}

/** Compares with a hash that no password matches, which takes as long as any comparison of that kind. */
export async function workAs(kind: string, typed: string): Promise<void> {
  const [algorithm = '', ...cost] = kind.split(' ')
  if (!Object.hasOwn(FORMATS, algorithm)) return
  await verifyImported(FORMATS[algorithm as ImportedHash['algorithm']].decoy(cost.map(Number)), typed)
}
