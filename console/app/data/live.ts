import { useEffect, useRef } from 'preact/hooks'
import { SECOND, sleep } from '../clock.ts'
import { usePlace } from '../router.ts'
import { createStore } from '../store.ts'
import { request } from './api.ts'
import { toFailure } from './failure.ts'

/** One event of the organization's stream: `delivery`, `replay`, `invitation`, `file`, `document`, `run`, `gap`. */
export interface LiveEvent {
  event: string
  id: string | undefined
  data: unknown
}

/** How it stands with the stream: one a browser, whichever tab holds it. */
export type LiveState = 'off' | 'opening' | 'live' | 'broken' | 'absent'

export const liveState = createStore<LiveState>('off')

type Notice = { kind: 'event'; event: LiveEvent } | { kind: 'state'; state: LiveState } | { kind: 'ask' }

const followers = new Set<(event: LiveEvent) => void>()
/** The stream is asked for everything that a console shows: one for all tabs. */
const TOPICS = 'deliveries,replays,invitations,files,runs'
const WAITS = [0, 1, 2, 5, 10, 20].map((seconds) => seconds * SECOND)

function spread(event: LiveEvent): void {
  for (const follow of [...followers]) follow(event)
}

/** Follows the events of the organization's stream while the component is there. */
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

/** Holds the stream of the organization in the address, or follows the tab that does; once a page. */
export function useStream(): void {
  const { organizationId } = usePlace()
  useEffect(() => {
    if (organizationId === undefined) return
    const leaving = new AbortController()
    const tabs = new BroadcastChannel(`postern.live.${organizationId}`)
    let last: string | undefined
    let leads = false
    const tellState = (state: LiveState) => {
      liveState.set(state)
      tabs.postMessage({ kind: 'state', state } satisfies Notice)
    }
    tabs.addEventListener('message', ({ data }: MessageEvent<Notice>) => {
      if (data.kind === 'state') liveState.set(data.state)
      else if (data.kind === 'event') {
        last = data.event.id ?? last
        spread(data.event)
      } else if (leads) tabs.postMessage({ kind: 'state', state: liveState.get() } satisfies Notice)
    })
    tabs.postMessage({ kind: 'ask' } satisfies Notice)
    const lead = async () => {
      leads = true
      await holdStream({
        signal: leaving.signal,
        lastId: () => last,
        tellState,
        onEvent(event) {
          last = event.id ?? last
          spread(event)
          tabs.postMessage({ kind: 'event', event } satisfies Notice)
        },
      })
    }
    // Without locks (an address that is neither https nor of this machine) each tab has a stream of its own.
    const held =
      navigator.locks === undefined
        ? lead()
        : navigator.locks.request(`postern.live.${organizationId}`, { signal: leaving.signal }, lead)
    void Promise.resolve(held).catch(() => {})
    return () => {
      leaving.abort()
      tabs.close()
      liveState.set('off')
    }
  }, [organizationId])
}

interface Holding {
  signal: AbortSignal
  lastId: () => string | undefined
  tellState: (state: LiveState) => void
  onEvent: (event: LiveEvent) => void
}

/** Opens the stream, and opens it anew where it ended, until the page leaves. */
async function holdStream({ signal, lastId, tellState, onEvent }: Holding): Promise<void> {
  for (let failed = 0; !signal.aborted; ) {
    try {
      tellState('opening')
      const last = lastId()
      const headers = {
        accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'last-event-id': last }),
      }
      const answer = await request('GET', '/v1/stream', {
        query: { topics: TOPICS },
        headers,
        signal,
        lasts: true,
      })
      tellState('live')
      for await (const event of readEvents(answer)) {
        failed = 0
        if (event.event === 'end') break
        onEvent(event)
      }
    } catch (thrown) {
      if (signal.aborted) return
      if (toFailure(thrown).status === 404) return tellState('absent')
      if (toFailure(thrown).status === 401) return tellState('off')
    }
    failed += 1
    if (failed > 1) tellState('broken')
    await sleep((WAITS[Math.min(failed, WAITS.length) - 1] ?? 0) * (0.75 + Math.random() / 2), signal).catch(
      () => {},
    )
  }
}

/** The events of a `text/event-stream` (HTML 9.2.6), without what only a browser's own reader needs. */
export async function* readEvents(answer: Response): AsyncGenerator<LiveEvent> {
  if (answer.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunksOf(answer.body)) {
    rest += decoder.decode(bytes, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readBlock(block)
      if (event !== undefined) yield event
    }
  }
}

/** Not every browser can go over a stream with `for await`. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function readBlock(block: string): LiveEvent | undefined {
  const fields: Record<string, string> = {}
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith(':')) continue
    const at = line.indexOf(':')
    const name = at === -1 ? line : line.slice(0, at)
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '')
    fields[name] = fields[name] === undefined || name !== 'data' ? value : `${fields[name]}\n${value}`
  }
  if (fields.data === undefined) return undefined
  try {
    return { event: fields.event ?? 'message', id: fields.id, data: JSON.parse(fields.data) }
  } catch {
    return undefined
  }
}
