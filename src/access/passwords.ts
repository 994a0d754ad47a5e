import { ApiError } from '../core/errors.ts'
import { createSemaphore } from '../core/fair-limiter.ts'
import { readHash, verifyImported, workAs } from './imported-hash.ts'

/** Loaded with the first password. */
const argon2 = () => import('@node-rs/argon2')

/** The library's number of it; its name is a type only. */
const ARGON2ID = 2

/** What each new hash costs. */
export interface HashCost {
  /** KiB. */
  memoryCost: number
  /** Passes over that memory. */
  timeCost: number
}

/** OWASP's first Argon2id row (decisions: access). A stored hash with other parameters is renewed at the next sign-in. */
export const HASH_COST: HashCost = { memoryCost: 19_456, timeCost: 2 }

/** The kind of these hashes, as `imported-hash.ts` names kinds. */
export const OWN_KIND = 'argon2id 19456 2 1'

/** Hashes that may wait behind each one that runs; more would take longer than a person waits. */
const LONGEST_QUEUE = 250

/** The salt and the hash of a random password that was thrown away. Comparing with it takes as long as with any other hash. */
const DECOY = 'Whsy+lhWfcz4GPy+5K5M0g$DNcUNtt5oArS7SeJhdvk8UxuyeIUy7yggna0S9jx+Gs'

export interface Passwords {
  /** @returns a PHC string. @throws ApiError RATE_LIMITED when too many hashes wait already */
  hash(password: string): Promise<string>
  /**
   * Compares with a stored hash. Without one it takes the same time and answers false, so that the time does
   * not tell an account without a password from a wrong password. After an import each refusal computes a
   * hash of every imported kind, whichever kind the account has.
   * @throws ApiError RATE_LIMITED when too many hashes wait already
   */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether a stored hash has other parameters than new ones. */
  isOutdated(stored: string): boolean
  /**
   * @param names of the person's organizations, as far as the caller may know them (ASVS 6.1.2)
   * @throws ApiError VALIDATION_FAILED when the password is well known, or is the address or one of the names
   */
  refuseCommon(password: string, email: string, field: string, names?: string[]): Promise<void>
}

/**
 * Passwords, at most `concurrency` of them hashed at once so that they never starve the rest of the process.
 * @param readKinds the kinds of hashes that were imported (`imported-hash.ts`)
 */
export function createPasswords(
  concurrency: number,
  readKinds: () => Promise<string[]>,
  { memoryCost, timeCost }: HashCost = HASH_COST,
): Passwords {
  const parameters = { algorithm: ARGON2ID, memoryCost, timeCost, parallelism: 1 }
  const prefix = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$`
  const semaphore = createSemaphore(concurrency)
  /** @throws ApiError RATE_LIMITED where too many wait already */
  function turns<T>(task: () => Promise<T>): Promise<T> {
    if (semaphore.waiting >= concurrency * LONGEST_QUEUE)
      throw new ApiError('RATE_LIMITED', { retryAfterSeconds: 5 })
    return semaphore.use(undefined, task)
  }
  return {
    hash: async (password) => turns(async () => (await argon2()).hash(normalize(password), parameters)),
    async verify(stored, password) {
      const imported = stored === null || stored.startsWith(prefix) ? null : stored
      if (imported !== null && (await turns(() => verifyImported(imported, password)))) return true
      const own = imported === null ? stored : null
      const same = await turns(async () =>
        (await argon2()).verify(own ?? prefix + DECOY, normalize(password)),
      )
      if (same && own !== null) return true
      const done = imported === null ? undefined : kindOf(imported)
      for (const kind of await readKinds()) if (kind !== done) await turns(() => workAs(kind, password))
      return false
    },
    isOutdated: (stored) => !stored.startsWith(prefix),
    async refuseCommon(password, email, field, names = []) {
      const typed = normalize(password).toLowerCase()
      const common = await commonPasswords()
      const personal = [email, email.split('@', 1)[0], ...names.map((name) => normalize(name).toLowerCase())]
      if (!common.has(typed) && !personal.includes(typed)) return
      throw new ApiError('VALIDATION_FAILED', { field, value: '[redacted]', reason: 'password_too_common' })
    },
  }
}

function kindOf(stored: string): string | undefined {
  const hash = readHash(stored)
  return typeof hash === 'string' ? undefined : hash.kind
}

/** The same text typed on another keyboard is the same password (NIST 800-63B: NFKC). */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

let common: Promise<Set<string>> | undefined

/** Tens of thousands of passwords that attackers try first; read when the first password is set. */
function commonPasswords(): Promise<Set<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  )
  return common
}
