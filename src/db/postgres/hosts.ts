import pg from 'pg'
import { type HostTarget, hostsOf, nameOf } from '../../config/database-url.ts'
import { type Millis, SECOND, stopwatch, systemClock } from '../../core/clock.ts'
import type { HostInUse } from '../engine/engine.ts'
import { ownsSession, UnfitHostError } from './session.ts'
import { withCheckedTls } from './tls.ts'

/** How long a caller waits for a connection, whether it is opened or must become free. */
export const CONNECT_TIMEOUT: Millis = 5 * SECOND
/** TCP keepalive begins after a connection was quiet for so long. */
const KEEP_ALIVE: Millis = 10 * SECOND
/** How long one host has to answer while the right one is looked for. */
const SEARCH_TIMEOUT: Millis = 2 * SECOND
/** The next host is asked after this long, or as soon as one has refused: one that does not answer at all holds up no search. */
const NEXT_AFTER: Millis = 250
/** After a search in vain its answer stands for so long, so that a flood of callers does not become one of connections. */
const FAILURE_KEPT: Millis = 250

/** What no address of the cluster leads to, in words for who set the addresses. */
class NoHostError extends Error {
  override readonly name = 'NoHostError'
}

/** Where the connections of a process go that it opens by one address. */
export interface Hosts {
  /** What a host must be to be used. */
  readonly target: HostTarget
  /** What a new client is made with: the address of the host in use. */
  settings(): pg.ClientConfig
  /**
   * Runs `open`, which makes one client. Where the host in use cannot be reached or will not do any more, the others are tried, and
   * `open` is run once more.
   * @throws the driver's own error, or NoHostError
   */
  reach<T>(open: () => Promise<T>): Promise<T>
  /** Opens a client that is not of a pool, and finds out whether its session is its own. */
  connect(more?: pg.ClientConfig): Promise<{ client: pg.Client; isOwn: boolean }>
  /** Notes a client as one of the host in use, so that it is cut off when another host is used. */
  track(client: pg.Client): void
  /** A client was told that its host takes no writes: the next connection looks for one that does. */
  markReadOnly(client: pg.Client): void
  /** Calls a listener each time that another host is used. */
  onChange(listener: () => void): void
  /** The host in use; undefined where only one is named. */
  used(): HostInUse | undefined
}

interface HostsOptions {
  /** Called when a host is used first, and each time that it is another one. */
  onHost?: ((name: string, before: string | undefined) => void) | undefined
}

/** One stay at a host: connections that failed during an earlier one say nothing of this. */
interface Stay {
  index: number
}

/** @param databaseUrl an address that the settings have let through */
export function createHosts(databaseUrl: string, { onHost }: HostsOptions = {}): Hosts {
  const { urls, target } = hostsOf(databaseUrl)
  const names = urls.map((url) => nameOf(new URL(url)))
  const checked = urls.map(withCheckedTls)
  const isChoice = urls.length > 1
  const stays = new Map<pg.Client, Stay>()
  const listeners: (() => void)[] = []
  let stay: Stay | undefined
  let last: { index: number; since: Millis } | undefined
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
      // What is under way at the former host fails here, as it does when that host dies: it may have taken its last write.
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
      const index = await firstOf(urls.length, (index) => probe(settingsOf(index), target))
      failedSearch = undefined
      return found(index)
    } catch (errors) {
      const error = explained(errors as unknown[], names)
      failedSearch = { error, age: stopwatch() }
      throw error
    } finally {
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
    markReadOnly: (client) => leave(stays.get(client)),
    onChange: (listener) => void listeners.push(listener),
    used: () =>
      isChoice && last !== undefined
        ? { place: last.index + 1, of: urls.length, since: last.since }
        : undefined,
  }
}

/** How the hosts of an address answer. */
export interface HostAnswers {
  target: HostTarget
  /** What is the matter with each, in words; undefined where it will do. */
  hosts: { name: string; trouble: string | undefined; isStandby: boolean }[]
}

/** Asks every host of an address. */
export async function askEveryHost(databaseUrl: string): Promise<HostAnswers> {
  const { urls, target } = hostsOf(databaseUrl)
  const hosts = urls.map(async (url) => {
    const settings = { connectionString: withCheckedTls(url), application_name: 'postern' }
    const error = await probe(settings, target).then(
      () => undefined,
      (error: unknown) => error,
    )
    const trouble = error === undefined ? undefined : troubleOf(error)
    return { name: nameOf(new URL(url)), trouble, isStandby: error instanceof UnfitHostError }
  })
  return { target, hosts: await Promise.all(hosts) }
}

/** Connects and asks, no more. @throws where the host will not do */
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
 * Asks one after the other, each a moment after the one before or as soon as one has failed.
 * @returns the first that succeeds @throws what each has failed with
 */
function firstOf(count: number, ask: (index: number) => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = []
    let [begun, failed] = [0, 0]
    let isOver = false
    let cancel = () => {}
    function next(): void {
      cancel()
      if (isOver || begun === count) return
      const index = begun
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

/** Codes of PostgreSQL, which begin otherwise than those of the system (`EPIPE`). */
const SQL_STATE = /^[0-9FHPX][0-9A-Z]{4}$/
/** Those of a server that stops, starts, or takes no writes; what has no code never reached one. */
const OF_HOST = /^(57P0|25006)/

/** Whether another host may do better: what a server that works says of a user or a database, all of them would say. */
function isHostFailure(error: unknown): boolean {
  const { code } = error as { code?: string }
  return error instanceof UnfitHostError || !SQL_STATE.test(code ?? '') || OF_HOST.test(code ?? '')
}

/** One error for all hosts: what a server says that works, else what is the matter with each. */
function explained(errors: unknown[], names: string[]): unknown {
  const telling = errors.find((error) => !isHostFailure(error))
  if (telling !== undefined) return telling
  const troubles = errors.map((error, index) => `${names[index]} ${troubleOf(error)}`)
  return new NoHostError(
    `No host of DATABASE_URL takes writes: ${troubles.join('; ')}. Look whether the cluster has a primary.`,
    { cause: errors[0] },
  )
}

function troubleOf(error: unknown): string {
  if (error instanceof UnfitHostError) return error.message
  const { message, code } = error as { message: string; code?: string }
  return `cannot be reached (${code ?? message})`
}
