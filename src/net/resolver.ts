import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { createSemaphore, type FairLimiter } from '../core/fair-limiter.ts'
import type { Resolve } from './destination.ts'
import { type Address, createHosts, type Hosts } from './hosts.ts'
import { type AskNameServers, createNameServers, NameError } from './name-servers.ts'

/** Longest caching of an answer; never longer than its own lifetime. */
const LONGEST_REMEMBERED: Millis = 30 * SECOND
/** Most cached answers of one owner, and of all. */
const MOST_OF_ONE = 1_000
const MOST_OF_ALL = 20_000

/** Most look-ups of one owner in flight; further ones wait. */
export const MOST_UNDER_WAY = 64
const MOST_WAITING = 1_000

/** The cached names and current look-ups of one owner. */
interface Share {
  names: Map<string, Known>
  lookUps: FairLimiter<void>
}

interface Known {
  addresses: Promise<Address[]>
  /** The time of the answer and its lifetime; undefined during the look-up. */
  answered: { at: Millis; lifetime: Millis } | undefined
}

/**
 * The resolver for all calls to external destinations: the machine's hosts file, then its name servers. Owners share
 * neither slots nor cached answers, so none affects another.
 */
export function createResolver({
  clock,
  ask = createNameServers(clock),
  hosts = createHosts(),
  most = MOST_UNDER_WAY,
}: {
  clock: Clock
  ask?: AskNameServers
  hosts?: Hosts
  /** Most look-ups of one owner in flight. */
  most?: number
}): Resolve {
  const shares = new Map<string, Share>()
  let remembered = 0
  let sweptAt = clock.now()

  function shareOf(owner: string): Share {
    const share = shares.get(owner) ?? { names: new Map(), lookUps: createSemaphore(most) }
    shares.set(owner, share)
    return share
  }

  function forget(names: Share['names'], name: string): void {
    if (names.delete(name)) remembered -= 1
  }

  /** Removes expired answers, at most once per `LONGEST_REMEMBERED`. */
  function sweep(now: Millis): void {
    if (now >= sweptAt && now - sweptAt < LONGEST_REMEMBERED) return
    sweptAt = now
    for (const [owner, share] of shares) {
      for (const [name, known] of share.names) if (!holds(known, now)) forget(share.names, name)
      if (share.names.size === 0 && share.lookUps.busy === 0) shares.delete(owner)
    }
  }

  /** @throws NameError, also where more look-ups wait than can finish in time */
  async function lookUp({ names, lookUps }: Share, name: string, known: Known): Promise<Address[]> {
    try {
      if (lookUps.waiting >= MOST_WAITING) throw new NameError(`too many names wait before ${name}`)
      const { addresses, lifetime } = await lookUps.use(undefined, () => ask(name))
      known.answered = { at: clock.now(), lifetime: Math.min(lifetime, LONGEST_REMEMBERED) }
      if (remembered > MOST_OF_ALL) forget(names, name)
      return addresses
    } catch (error) {
      if (names.get(name) === known) forget(names, name)
      throw error
    }
  }

  return async (hostname, owner) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const local = hosts(name)
    if (local !== undefined) return local
    const now = clock.now()
    sweep(now)
    const share = shareOf(owner)
    const before = share.names.get(name)
    if (before !== undefined && holds(before, now)) return before.addresses
    forget(share.names, name)
    const [oldest] = share.names.keys()
    if (share.names.size >= MOST_OF_ONE && oldest !== undefined) forget(share.names, oldest)
    const known: Known = { addresses: Promise.resolve([]), answered: undefined }
    share.names.set(name, known)
    remembered += 1
    known.addresses = lookUp(share, name, known)
    return known.addresses
  }
}

/** Whether an entry is still valid; callers during its look-up share the answer. */
function holds({ answered }: Known, now: Millis): boolean {
  return answered === undefined || (now >= answered.at && now - answered.at < answered.lifetime)
}
