import pg from 'pg'
import { type HostRole, type HostTarget, hostsOf, nameOf } from '../../config/database-url.ts'
import { type Millis, SECOND, stopwatch, systemClock } from '../../core/clock.ts'
import type { HostInUse } from '../engine/engine.ts'
import { ownsSession, UnfitHostError } from './session.ts'
import { withCheckedTls } from './tls.ts'

/** How long a caller waits for a connection, whether it is opened or must become free. */
export const CONNECT_TIMEOUT: Millis = 5 * SECOND
/** The idle time before TCP keepalive begins. */
const KEEP_ALIVE: Millis = 10 * SECOND
/** The timeout of one host during a search. */
const SEARCH_TIMEOUT: Millis = 2 * SECOND
/** The next host is probed after this long, or at once after a refusal, so that an unreachable host does not delay the search. */
const NEXT_AFTER: Millis = 250
/** The error of a failed search is reused for this long, so that many callers do not cause as many connection attempts. */
const FAILURE_KEPT: Millis = 250

/** No host of the cluster is usable; the message is for the operator. */
class NoHostError extends Error {
  override readonly name = 'NoHostError'
}

/** The hosts of an address, and the one in use for new connections. */
export interface Hosts {
  /** The required role of a host. */
  readonly target: HostTarget
  /** The settings of a new client, with the address of the host in use. */
  settings(): pg.ClientConfig
  /**
   * Runs `open`, which makes one client. Where the host in use is unreachable or no longer usable, another one is searched, and `open`
   * is repeated once.
   * @throws the driver's error, or NoHostError
   */
  reach<T>(open: () => Promise<T>): Promise<T>
  /** Opens a client outside a pool. @returns it, and whether its session is its own */
  connect(more?: pg.ClientConfig): Promise<{ client: pg.Client; isOwn: boolean }>
  /** Registers a client of the host in use, so that it is disconnected at a change of the host. */
  track(client: pg.Client): void
  /** Reports that a client's host has lost the required role: the next connection searches for a usable host. */
  markUnfit(client: pg.Client): void
  /** Reports that another host may be better than a client's: the next connection searches, from the host after it. */
  tryAnother(client: pg.Client): void
  /** @returns an object for the current period of use of a client's host; undefined where the address has only one */
  periodOf(client: pg.Client): object | undefined
  /** Calls a listener at each change of the host. */
  onChange(listener: () => void): void
  /** The host in use; undefined where the address has only one. */
  used(): HostInUse | undefined
}

interface HostsOptions {
  /** By default `primary`. */
  role?: HostRole
  /** Called with the first host in use, and at each change. */
  onHost?: ((name: string, before: string | undefined) => void) | undefined
}

/** A period of use of one host. Failed connections of an earlier period do not count. */
interface Stay {
  index: number
}

/** @param databaseUrl an address that the configuration has validated for the role */
export function createHosts(databaseUrl: string, { role = 'primary', onHost }: HostsOptions = {}): Hosts {
  const { urls, target } = hostsOf(databaseUrl, role)
  const names = urls.map((url) => nameOf(new URL(url)))
  const checked = urls.map(withCheckedTls)
  const isChoice = urls.length > 1
  const stays = new Map<pg.Client, Stay>()
  const listeners: (() => void)[] = []
  let stay: Stay | undefined
  let last: { index: number; since: Millis } | undefined
  /** The place in the address at which a search begins. */
  let first = 0
  let searching: Promise<Stay> | undefined
  let failedSearch: { error: unknown; age: () => Millis } | undefined

  const settingsOf = (index: number): pg.ClientConfig => ({
    connectionString: checked[index] as string,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    application_name: 'postern',
  })

  function found(index: number): Stay {
    const before = last
    const next = { index }
    stay = next
    for (const [client, its] of stays) {
      if (its.index === index) stays.set(client, next)
      // Current statements at the former host fail, as at its crash; their outcome is unknown.
      else client.connection.stream.destroy()
    }
    if (before?.index === index) return next
    last = { index, since: systemClock.now() }
    onHost?.(names[index] as string, before === undefined ? undefined : names[before.index])
    if (before !== undefined) for (const listener of listeners) listener()
    return next
  }

  async function search(): Promise<Stay> {
    try {
      const index = await firstOf(urls.length, first, (index) => probe(settingsOf(index), target))
      failedSearch = undefined
      return found(index)
    } catch (errors) {
      const error = explained(errors as unknown[], names, role)
      failedSearch = { error, age: stopwatch() }
      throw error
    } finally {
      first = 0
      searching = undefined
    }
  }

  function here(): Promise<Stay> {
    if (stay !== undefined) return Promise.resolve(stay)
    if (failedSearch !== undefined && failedSearch.age() < FAILURE_KEPT)
      return Promise.reject(failedSearch.error)
    searching ??= search()
    return searching
  }

  function leave(left: Stay | undefined): void {
    if (left !== undefined && left === stay) stay = undefined
  }

  async function reach<T>(open: () => Promise<T>): Promise<T> {
    if (!isChoice) return open()
    const at = await here()
    try {
      return await open()
    } catch (error) {
      if (!isHostFailure(error)) throw error
      leave(at)
      await here()
      return open()
    }
  }

  const settings = () => settingsOf(stay?.index ?? last?.index ?? 0)

  function track(client: pg.Client): void {
    if (!isChoice) return
    stays.set(client, stay ?? { index: last?.index ?? 0 })
    client.once('end', () => stays.delete(client))
  }

  return {
    target,
    settings,
    reach,
    track,
    connect: (more) =>
      reach(async () => {
        const client = new pg.Client({ ...settings(), ...more })
        // Every loss also fires `end`.
        client.on('error', () => {})
        track(client)
        try {
          await client.connect()
          return { client, isOwn: await ownsSession(client, target) }
        } catch (error) {
          void client.end().catch(() => {})
          throw error
        }
      }),
    markUnfit: (client) => leave(stays.get(client)),
    tryAnother(client) {
      const left = stays.get(client)
      if (left === undefined || left !== stay) return
      first = (left.index + 1) % urls.length
      leave(left)
    },
    periodOf: (client) => stays.get(client),
    onChange: (listener) => void listeners.push(listener),
    used: () =>
      isChoice && last !== undefined
        ? { place: last.index + 1, of: urls.length, since: last.since }
        : undefined,
  }
}

/** The results of probing the hosts of an address. */
export interface HostAnswers {
  target: HostTarget
  /** The problem of each host in words; undefined for a usable host. */
  hosts: { name: string; trouble: string | undefined; isUnfit: boolean }[]
}

/** Probes every host of an address. */
export async function probeHosts(databaseUrl: string, role: HostRole): Promise<HostAnswers> {
  const { urls, target } = hostsOf(databaseUrl, role)
  const hosts = urls.map(async (url) => {
    const settings = { connectionString: withCheckedTls(url), application_name: 'postern' }
    const error = await probe(settings, target).then(
      () => undefined,
      (error: unknown) => error,
    )
    const trouble = error === undefined ? undefined : troubleOf(error)
    return { name: nameOf(new URL(url)), trouble, isUnfit: error instanceof UnfitHostError }
  })
  return { target, hosts: await Promise.all(hosts) }
}

/** Connects to a host and checks its role. @throws where the host is not usable */
async function probe(settings: pg.ClientConfig, target: HostTarget): Promise<void> {
  const client = new pg.Client({
    ...settings,
    connectionTimeoutMillis: SEARCH_TIMEOUT,
    query_timeout: SEARCH_TIMEOUT,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await ownsSession(client, target)
  } finally {
    void client.end().catch(() => {})
  }
}

/**
 * Probes hosts with staggered starts, beginning with the host at `first`: each begins `NEXT_AFTER` after the one before, or at once after
 * a failure.
 * @returns the index of the first success @throws the errors of all
 */
function firstOf(count: number, first: number, ask: (index: number) => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = []
    let [begun, failed] = [0, 0]
    let isOver = false
    let cancel = () => {}
    function next(): void {
      cancel()
      if (isOver || begun === count) return
      const index = (first + begun) % count
      begun += 1
      cancel = systemClock.after(NEXT_AFTER, next)
      ask(index).then(
        () => {
          isOver = true
          cancel()
          resolve(index)
        },
        (error: unknown) => {
          errors[index] = error
          failed += 1
          if (failed === count) reject(errors)
          else next()
        },
      )
    }
    next()
  })
}

/** SQLSTATE codes of PostgreSQL, as opposed to codes of the system (`EPIPE`). */
const SQL_STATE = /^[0-9FHPX][0-9A-Z]{4}$/
/** SQLSTATE codes of a server that stops, starts, or takes no writes. */
const OF_HOST = /^(57P0|25006)/

/** Whether another host may succeed. Errors of a working server about a user or a database are the same on all hosts. */
export function isHostFailure(error: unknown): boolean {
  const { code } = error as { code?: string }
  return error instanceof UnfitHostError || !SQL_STATE.test(code ?? '') || OF_HOST.test(code ?? '')
}

/** The setting and what all its hosts lack. */
const LACKING: Record<HostRole, string> = {
  primary: 'DATABASE_URL takes writes',
  standby: 'DATABASE_STANDBY_URL is a standby',
}

/** One error for all hosts: the error of a working server, else the problems of all. */
function explained(errors: unknown[], names: string[], role: HostRole): unknown {
  const telling = errors.find((error) => !isHostFailure(error))
  if (telling !== undefined) return telling
  const troubles = errors.map((error, index) => `${names[index]} ${troubleOf(error)}`)
  return new NoHostError(
    `No host of ${LACKING[role]}: ${troubles.join('; ')}. Look whether the cluster has a ${role}.`,
    { cause: errors[0] },
  )
}

function troubleOf(error: unknown): string {
  if (error instanceof UnfitHostError) return error.message
  const { message, code } = error as { message: string; code?: string }
  return `cannot be reached (${code ?? message})`
}
