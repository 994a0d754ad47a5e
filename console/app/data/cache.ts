import { useLayoutEffect, useState } from 'preact/hooks'
import type { CallOptions } from '#sdk/postern.ts'
import { later, MINUTE, type Millis, now, SECOND } from '../clock.ts'
import { organizationId } from '../router.ts'
import { type Failure, toFailure } from './failure.ts'
import { reading } from './postern.ts'

/** The cached answer of a key. */
export interface Known<T> {
  data: T | undefined
  failure: Failure | undefined
  /** Whether a read is in progress. */
  isBusy: boolean
  /** Time of the last read; 0 before the first one, and once the answer is out of date. */
  at: Millis
}

interface Entry {
  known: Known<unknown>
  read: (how: CallOptions) => Promise<unknown>
  followers: Set<() => void>
  reading: AbortController | undefined
  /** Changes from the stream during a read, which its answer may lack. */
  told: ((data: unknown) => unknown)[]
  /** Whether the answer of the present read is out of date already, so that another read follows it. */
  isOld: boolean
  /** Reads that failed in a row. */
  failed: number
  /** Cancels the planned retry. */
  settle: () => void
}

const NOTHING: Known<never> = { data: undefined, failure: undefined, isBusy: true, at: 0 }
const UNREAD = { reading: undefined, told: [], isOld: false, failed: 0, settle: () => {} }
/** An answer younger than this is shown without a new read. */
const FRESH = 5 * SECOND
/** Answers kept at most, those included that only the Back button shows again. */
const MOST = 100

const entries = new Map<string, Entry>()

/** A key with the organization of the address before it: organizations never share an answer. */
export function scoped(key: string): string {
  return `${organizationId() ?? ''} ${key}`
}

function change(entry: Entry, changed: Partial<Known<unknown>>): void {
  entry.known = { ...entry.known, ...changed }
  for (const draw of [...entry.followers]) draw()
}

/**
 * Reads the entry. A read in progress is not interrupted; another one follows it. An entry that changes faster than it can be read
 * would never arrive otherwise.
 */
async function refresh(entry: Entry): Promise<void> {
  entry.settle()
  entry.isOld = entry.reading !== undefined
  if (entry.isOld) return
  const controller = new AbortController()
  entry.reading = controller
  entry.told = []
  change(entry, { isBusy: true })
  try {
    const read = await entry.read(reading(controller.signal))
    if (entry.reading !== controller) return
    entry.failed = 0
    const data = entry.told.reduce((known, how) => how(known), read)
    change(entry, { data, failure: undefined, isBusy: false, at: now() })
  } catch (thrown) {
    if (entry.reading !== controller) return
    const failure = toFailure(thrown)
    againLater(entry, failure)
    change(entry, { failure, isBusy: false, at: now() })
  } finally {
    if (entry.reading === controller) {
      entry.reading = undefined
      if (entry.isOld && entry.followers.size > 0) void refresh(entry)
    }
  }
}

/** Retries after a temporary failure while a component shows the entry: after the server's Retry-After at the earliest, with growing waits. */
function againLater(entry: Entry, { status, retryAfter = 0 }: Failure): void {
  if (status !== 0 && status !== 429 && status < 500) return
  const wait = Math.max(retryAfter * SECOND, Math.min(2 * SECOND * 2 ** entry.failed, MINUTE))
  entry.failed += 1
  entry.settle = later(wait, () => {
    if (entry.followers.size > 0 && entry.reading === undefined) void refresh(entry)
  })
}

function entryOf(key: string, read: Entry['read']): Entry {
  const found = entries.get(key)
  if (found !== undefined) {
    found.read = read
    return found
  }
  const made: Entry = { known: NOTHING, read, followers: new Set(), ...UNREAD }
  entries.set(key, made)
  for (const [old, { followers }] of entries) {
    if (entries.size <= MOST) break
    if (followers.size === 0) entries.delete(old)
  }
  return made
}

export interface Data<T> extends Known<T> {
  refresh: () => void
}

/**
 * An answer of the API, cached under a key: the cached answer is shown at once, and a new read replaces it. `read` passes `how` on to the
 * SDK. A key of `undefined` reads nothing. A read ends when no component shows its entry.
 */
export function useData<T>(key: string | undefined, read: (how: CallOptions) => Promise<T>): Data<T> {
  const [, draw] = useState({})
  const full = key === undefined ? undefined : scoped(key)
  const entry = full === undefined ? undefined : entryOf(full, read)
  // A layout effect runs before the first paint: an answer that was requested early is drawn in it.
  useLayoutEffect(() => {
    if (entry === undefined) return
    const changed = () => draw({})
    entry.followers.add(changed)
    if (entry.reading === undefined && entry.known.at < now() - FRESH) void refresh(entry)
    else draw({})
    return () => {
      entry.followers.delete(changed)
      if (entry.followers.size > 0) return
      entry.reading?.abort()
      entry.reading = undefined
    }
  }, [full])
  const known = (entry?.known ?? { ...NOTHING, isBusy: false }) as Known<T>
  return { ...known, refresh: () => void (entry && refresh(entry)) }
}

/** The cached answer under a key that `scoped` has made, for lists. */
export function knownAt<T>(full: string): T | undefined {
  return entries.get(full)?.known.data as T | undefined
}

/** As `amend`, under a key that `scoped` has made. */
export function amendAt<T>(full: string, how: (data: T) => T): void {
  const entry = entries.get(full)
  if (entry?.known.data !== undefined) change(entry, { data: how(entry.known.data as T) })
}

/** Records the failure of a further request, such as the next page of a list, beside the cached answer. */
export function failAt(full: string, failure: Failure): void {
  const entry = entries.get(full)
  if (entry !== undefined) change(entry, { failure })
}

/** Marks the answers of all keys with this prefix as out of date. Those on the screen are read now, others when they are next shown. */
export function outdate(prefix: string): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(scoped(prefix))) continue
    entry.known = { ...entry.known, at: 0 }
    if (entry.followers.size > 0) void refresh(entry)
  }
}

/**
 * Caches the answer to a change and reads the key again: while the server works on, the stream may already have shown a later state
 * than the answer has.
 */
export function answered<T>(key: string, data: T): void {
  put(key, data)
  outdate(key)
}

/** Caches an answer without a read, so that it is shown at once. */
export function put<T>(key: string, data: T): void {
  const entry = entries.get(scoped(key))
  if (entry === undefined) return
  entry.reading?.abort()
  entry.reading = undefined
  change(entry, { data, failure: undefined, isBusy: false, at: now() })
}

/** Changes the cached answer of a key, and the answer of a read in progress, by an event of the stream. */
export function amend<T>(key: string, how: (data: T) => T): void {
  const full = scoped(key)
  const entry = entries.get(full)
  if (entry?.reading !== undefined) entry.told.push(how as Entry['told'][number])
  amendAt(full, how)
}

/** Forgets everything: another person may sign in next. */
export function forgetAll(): void {
  for (const [key, entry] of entries) {
    entry.reading?.abort()
    if (entry.followers.size === 0) entries.delete(key)
    else change(entry, NOTHING)
  }
}

/** Reads entries on the screen that are older than `age`: after a return to the tab, or of the network. */
export function refreshOld(age: Millis): void {
  for (const entry of entries.values())
    if (entry.followers.size > 0 && entry.reading === undefined && entry.known.at < now() - age)
      void refresh(entry)
}
