import { Resolver } from 'node:dns/promises'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import type { Address } from './hosts.ts'

/** One look-up, both families and all name servers together. */
export const LOOK_UP_DEADLINE: Millis = 5 * SECOND

/** When a name server is asked again, or the next one: packets get lost. */
const PATIENCE: Millis = SECOND
const TRIES = 4

/** A name that has no address just now. */
export class NameError extends Error {
  override readonly name = 'NameError'
  readonly code = 'NAME_NOT_RESOLVED'
}

/** What the name servers say, and for how long it may be remembered. */
interface LookedUp {
  addresses: Address[]
  lifetime: Millis
}

/**
 * Asks the name servers for all addresses of a name.
 * @throws NameError
 */
export type AskNameServers = (name: string) => Promise<LookedUp>

/**
 * The name servers of the machine, or given ones, asked without the few threads that files and hashes share. Each
 * look-up has a channel of its own: a name whose servers do not answer has no effect on later look-ups.
 * @param servers `address:port`
 */
export function createNameServers(clock: Clock, servers?: string[]): AskNameServers {
  return async (name) => {
    const { answers, isLate } = await ask(clock, servers, (resolver) => [
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ])
    // A server that is silent about one family has still said what the other is.
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (records.length === 0) throw new NameError(reasonOf(name, answers, isLate))
    return {
      addresses: records.map(({ address }) => ({ address, family: address.includes(':') ? 6 : 4 })),
      lifetime: Math.min(...records.map(({ ttl }) => ttl)) * SECOND,
    }
  }
}

/**
 * Asks the name servers for the texts of a name (TXT), each as one string; none where there is no such name.
 * @throws NameError where they do not answer
 */
export type AskForTexts = (name: string) => Promise<string[]>

/** As `createNameServers`, for texts. */
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

/** Asks on a channel of its own, which ends with the deadline. */
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

/** What the codes of the look-up mean; any other is a server that failed. */
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
