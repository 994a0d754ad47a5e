import assert from 'node:assert/strict'
import type { Seen } from './event-reader.ts'
import { until } from './waits.ts'

/** An open stream of events. */
export interface LiveStream {
  /** The events so far. */
  seen: Seen[]
  /** The place of the last event. */
  place(): string
  /** Waits for an event. */
  sees(what: string, is: (one: Seen) => boolean): Promise<Seen>
  /** Resolves when the server has ended it. */
  over: Promise<void>
  /** Leaves. */
  leave(): void
}

/** Opens the live stream of an organization, and waits for its first event. */
export async function watchLive(
  url: string,
  token: string,
  { query = '', after }: { query?: string; after?: string } = {},
): Promise<LiveStream> {
  const headers = { authorization: `Bearer ${token}`, ...(after && { 'last-event-id': after }) }
  const stream = await openEvents(`${url}/v1/stream${query}`, { headers })
  await stream.sees('the beginning of a stream', ({ event }) => event === 'open')
  return stream
}

/** Opens a stream of events, and reads it as it comes. */
export async function openEvents(url: string, init: RequestInit): Promise<LiveStream> {
  const gone = new AbortController()
  const response = await fetch(url, { ...init, signal: gone.signal })
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
  const seen: Seen[] = []
  let [rest, place] = ['', '']

  function take(block: string): void {
    const fields: Record<string, string> = {}
    for (const line of block.split('\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s)
      fields[name] = value
    }
    if (fields.id !== undefined) place = fields.id
    if (fields.data !== undefined)
      seen.push({ ...fields, event: fields.event ?? '', data: JSON.parse(fields.data) })
  }

  const over = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  })().catch((error: unknown) => {
    if (!gone.signal.aborted) throw error
  })
  const sees = async (what: string, is: (one: Seen) => boolean) => {
    const found = await until(
      async () => seen.find(is),
      (one) => one !== undefined,
      { what: `${what} in ${JSON.stringify(seen.slice(-5))}` },
    )
    return found as Seen
  }
  return { seen, place: () => place, sees, over, leave: () => gone.abort() }
}
