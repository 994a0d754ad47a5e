import { Resolver } from 'node:dns/promises'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import type { Address } from './hosts.ts'

/** Longest look-up, for both address families and all name servers together. */
export const LOOK_UP_DEADLINE: Millis = 5 * SECOND

/** The wait before a query is repeated, because packets get lost. */
const PATIENCE: Millis = SECOND
const TRIES = 4

/** A name without an address at present. */
export class NameError extends Error {
  override readonly name = 'NameError'
  readonly code = 'NAME_NOT_RESOLVED'
}

/** The addresses of a name, and how long they may be cached. */
interface LookedUp {
  addresses: Address[]
  lifetime: Millis
}

/**
 * Queries the name servers for all addresses of a name.
 * @throws NameError
 */
export type AskNameServers = (name: string) => Promise<LookedUp>

/**
 * Queries the machine's name servers, or given ones, without the few threads that files and hashes share. Each look-up
 * has its own channel: a name with silent servers does not affect later look-ups.
 * @param servers `address:port`
 */
export function createNameServers(clock: Clock, servers?: string[]): AskNameServers {
  return async (name) => {
    const { answers, isLate } = await ask(clock, servers, (resolver) => [
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ])
    // A server that answers for one address family only has still answered for that one.
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (records.length === 0) throw new NameError(reasonOf(name, answers, isLate))
    return {
      addresses: records.map(({ address }) => ({ address, family: address.includes(':') ? 6 : 4 })),
      lifetime: Math.min(...records.map(({ ttl }) => ttl)) * SECOND,
    }
  }
}

/**
 * Queries the name servers for the TXT records of a name, each as one string; empty where the name does not exist.
 * @throws NameError where they do not answer
 */
export type AskForTexts = (name: string) => Promise<string[]>

/** As `createNameServers`, for TXT records. */
export function createTextServers(clock: Clock, servers?: string[]): AskForTexts {
  return async (name) => {
    const { answers, isLate } = await ask(clock, servers, (resolver) => [resolver.resolveTxt(name)])
    const [answer] = answers
    if (answer?.status === 'fulfilled') return answer.value.map((parts) => parts.join(''))
    const code = (answer?.reason as { code?: string } | undefined)?.code ?? ''
    if (!isLate && NO_SUCH_NAME.includes(code)) return []
    throw new NameError(reasonOf(name, answers, isLate))
  }
}

/** Queries on a channel of its own, which closes at the deadline. */
async function ask<T>(
  clock: Clock,
  servers: string[] | undefined,
  questions: (resolver: Resolver) => Promise<T>[],
): Promise<{ answers: PromiseSettledResult<T>[]; isLate: boolean }> {
  const resolver = new Resolver({ timeout: PATIENCE, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  let isLate = false
  const cancel = clock.after(LOOK_UP_DEADLINE, () => {
    isLate = true
    resolver.cancel()
  })
  const answers = await Promise.allSettled(questions(resolver))
  cancel()
  return { answers, isLate }
}

/** Codes of missing names; any other code means that a server failed. */
const NO_SUCH_NAME = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

function reasonOf(name: string, answers: PromiseSettledResult<unknown>[], isLate: boolean): string {
  const codes = answers.map((answer) =>
    answer.status === 'rejected' ? (answer.reason as { code?: string }).code : undefined,
  )
  if (isLate || codes.includes('ETIMEOUT'))
    return `no name server answered for ${name} within ${LOOK_UP_DEADLINE / SECOND} s`
  const failure = codes.find((code) => !NO_SUCH_NAME.includes(code ?? ''))
  return failure === undefined ? `${name} has no address` : `the name servers failed for ${name} (${failure})`
}
