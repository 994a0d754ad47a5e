import { useLayoutEffect, useState } from 'preact/hooks'
import type { CallOptions } from '#sdk/postern.ts'
import { later, MINUTE, type Millis, now, SECOND } from '../clock.ts'
import { organizationId } from '../router.ts'
import { type Failure, toFailure } from './failure.ts'
import { reading } from './postern.ts'

/** What is known under a key. */
export interface Known<T> {
  data: T | undefined
  failure: Failure | undefined
  /** Whether it is being read right now. */
  isBusy: boolean
  /** When it was read last; 0 before that, or once it is out of date. */
  at: Millis
}

interface Entry {
  known: Known<unknown>
  read: (how: CallOptions) => Promise<unknown>
  followers: Set<() => void>
  reading: AbortController | undefined
  /** What the stream said while it was being read, which the answer may not know yet. */
  told: ((data: unknown) => unknown)[]
  /** Whether what is being read is out of date before it has come: it is read once more then. */
  isOld: boolean
  /** How often it has failed in a row. */
  failed: number
  /** Calls off that it is read once more. */
  settle: () => void
}

const NOTHING: Known<never> = { data: undefined, failure: undefined, isBusy: true, at: 0 }
const UNREAD = { reading: undefined, told: [], isOld: false, failed: 0, settle: () => {} }
/** What was read less long ago is shown without being read anew. */
const FRESH = 5 * SECOND
/** Answers that nobody looks at are kept for Back, so many of them. */
const MOST = 100

const entries = new Map<string, Entry>()

/** A key belongs to the organization of the address: two of them never see each other's answers. */
export function scoped(key: string): string {
  return `${organizationId() ?? ''} ${key}`
}

function change(entry: Entry, changed: Partial<Known<unknown>>): void {
  entry.known = { ...entry.known, ...changed }
  for (const draw of [...entry.followers]) draw()
}

/**
 * Reads it; what is being read already comes first, and is read once more. Begun anew each time it would never come, where it changes
 * faster than it can be read.
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

/** What may pass by itself is read once more, not before the server wants it and ever more seldom, while somebody looks. */
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
 * What the API says, kept under a key: what is known is shown at once and read anew behind it. `how` goes to the SDK's method. A key of `undefined` reads
 * nothing. What nobody looks at any more is no longer read.
 */
export function useData<T>(key: string | undefined, read: (how: CallOptions) => Promise<T>): Data<T> {
  const [, draw] = useState({})
  const full = key === undefined ? undefined : scoped(key)
  const entry = full === undefined ? undefined : entryOf(full, read)
  // Before anything is painted: what was asked for early is there by then, and need not wait for a picture without it.
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

/** What is known under a key that `scoped` has made, for lists. */
export function knownAt<T>(full: string): T | undefined {
  return entries.get(full)?.known.data as T | undefined
}

/** As `amend`, under a key that `scoped` has made. */
export function amendAt<T>(full: string, how: (data: T) => T): void {
  const entry = entries.get(full)
  if (entry?.known.data !== undefined) change(entry, { data: how(entry.known.data as T) })
}

/** Says that what was asked for beside what is known has failed. */
export function failAt(full: string, failure: Failure): void {
  const entry = entries.get(full)
  if (entry !== undefined) change(entry, { failure })
}

/** Says that what is kept under keys that begin so is out of date: what is on the screen is read anew, the rest when it is next seen. */
export function outdate(prefix: string): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(scoped(prefix))) continue
    entry.known = { ...entry.known, at: 0 }
    if (entry.followers.size > 0) void refresh(entry)
  }
}

/**
 * Puts down what a change was answered with, and reads anew behind it: of what goes on by itself, the stream may have told
 * more by then than the answer knew.
 */
export function answered<T>(key: string, data: T): void {
  put(key, data)
  outdate(key)
}

/** Puts down what is the case now, so that it is seen at once. */
export function put<T>(key: string, data: T): void {
  const entry = entries.get(scoped(key))
  if (entry === undefined) return
  entry.reading?.abort()
  entry.reading = undefined
  change(entry, { data, failure: undefined, isBusy: false, at: now() })
}

/** Changes what is known under a key, where something is, and what is being read just now; for what the stream says. */
export function amend<T>(key: string, how: (data: T) => T): void {
  const full = scoped(key)
  const entry = entries.get(full)
  if (entry?.reading !== undefined) entry.told.push(how as Entry['told'][number])
  amendAt(full, how)
}

/** Forgets everything: somebody else may sit here next. */
export function forgetAll(): void {
  for (const [key, entry] of entries) {
    entry.reading?.abort()
    if (entry.followers.size === 0) entries.delete(key)
    else change(entry, NOTHING)
  }
}

/** Reads what is on the screen and old: somebody came back to the tab, or the network did. */
export function refreshOld(age: Millis): void {
  for (const entry of entries.values())
    if (entry.followers.size > 0 && entry.reading === undefined && entry.known.at < now() - age)
      void refresh(entry)
}
