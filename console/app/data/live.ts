import { useEffect, useRef } from 'preact/hooks'
import type { StreamEvent } from '#sdk/postern.ts'
import { later } from '../clock.ts'
import { usePlace } from '../router.ts'
import { createStore } from '../store.ts'
import { postern } from './postern.ts'

/** One event of the organization's stream: `delivery`, `replay`, `invitation`, `domain`, `file`, `document`, `run`, `gap` and others. */
export type LiveEvent = StreamEvent

/** State of the stream. A browser has one stream, which one of its tabs holds. */
export type LiveState = 'off' | 'opening' | 'live' | 'broken'

export const liveState = createStore<LiveState>('off')

type Notice = { kind: 'events'; events: LiveEvent[] } | { kind: 'state'; state: LiveState } | { kind: 'ask' }

/** Milliseconds for which events to other tabs are gathered. */
const PACE = 50

const followers = new Set<(event: LiveEvent) => void>()

function spread(event: LiveEvent): void {
  for (const follow of [...followers]) follow(event)
}

/** Follows the events of the organization's stream while the component is mounted. `gap`, which means that lists must be read again, always comes too. */
export function useLive(events: readonly string[], follow: (event: LiveEvent) => void): void {
  const latest = useRef(follow)
  latest.current = follow
  const names = events.join(' ')
  useEffect(() => {
    const wanted = new Set([...names.split(' '), 'gap'])
    const own = (event: LiveEvent) => {
      if (wanted.has(event.event)) latest.current(event)
    }
    followers.add(own)
    return () => void followers.delete(own)
  }, [names])
}

/** Holds the stream of the organization in the address, or follows the tab that holds it. Used once in a page. */
export function useStream(): void {
  const { organizationId } = usePlace()
  useEffect(() => {
    if (organizationId === undefined) return
    const name = `postern.live.${organizationId}`
    const leaving = new AbortController()
    const { signal } = leaving
    const tabs = new BroadcastChannel(name)
    let last: string | undefined
    let leads = false
    let isFollowed = false
    const tell = (state: LiveState) => {
      if (signal.aborted) return
      liveState.set(state)
      tabs.postMessage({ kind: 'state', state } satisfies Notice)
    }
    /** Events for the other tabs, gathered because there may be hundreds a second. */
    let passed: LiveEvent[] = []
    const pass = (event: LiveEvent) => {
      if (passed.push(event) > 1) return
      later(PACE, () => {
        if (!signal.aborted) tabs.postMessage({ kind: 'events', events: passed } satisfies Notice)
        passed = []
      })
    }
    /** The stream is complete from here on. Answers read before may be out of date. */
    const begin = () => {
      if (!isFollowed) spread({ event: 'gap', data: {} } as LiveEvent)
      isFollowed = true
    }
    tabs.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
      if (data.kind === 'state') {
        liveState.set(data.state)
        if (data.state === 'live') begin()
      } else if (data.kind === 'events') {
        for (const event of data.events) {
          last = event.id ?? last
          spread(event)
        }
      } else if (leads) tabs.postMessage({ kind: 'state', state: liveState.get() } satisfies Notice)
    })
    tabs.postMessage({ kind: 'ask' } satisfies Notice)
    const hold = async () => {
      leads = true
      tell('opening')
      const from = last === undefined ? {} : { lastEventId: last }
      const onState = (state: 'open' | 'waiting') => tell(state === 'open' ? 'live' : 'broken')
      for await (const event of postern.stream({}, { signal, onState, ...from })) {
        if (signal.aborted) return
        last = event.id ?? last
        if (event.event === 'open') {
          // Later the SDK opens it where it was.
          begin()
          continue
        }
        spread(event)
        pass(event)
      }
    }
    // Without locks (an address that is neither https nor of this machine) each tab has a stream of its own.
    const held = navigator.locks === undefined ? hold() : navigator.locks.request(name, { signal }, hold)
    Promise.resolve(held).catch(() => tell('off'))
    return () => {
      leaving.abort()
      tabs.close()
      liveState.set('off')
    }
  }, [organizationId])
}
