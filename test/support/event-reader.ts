import assert from 'node:assert/strict'
import { within } from './waits.ts'

/** An event as a reader gets it. */
export interface Seen {
  id?: string
  event: string
  data: Record<string, unknown>
}

/** Reads an event stream to its end, or until `enough`. */
export async function watchEvents(...given: Parameters<typeof openEvents>): Promise<Seen[]> {
  return (await openEvents(...given)).seen
}

/**
 * Opens an event stream, and reads it to its end, or until `enough`.
 * @returns when the server has begun its answer; `seen` settles when it has been read
 */
export async function openEvents(
  url: string,
  init: RequestInit,
  enough: (seen: Seen[]) => boolean = () => false,
): Promise<{ seen: Promise<Seen[]> }> {
  const over = new AbortController()
  const response = await fetch(url, { ...init, signal: over.signal })
  assert.equal(response.status, 200)
  assert.match(String(response.headers.get('content-type')), /^text\/event-stream/)
  let text = ''
  const all = (): Seen[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((one) => !one.startsWith(':'))
      .map((one) => {
        const fields = Object.fromEntries(one.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
        return { ...fields, data: JSON.parse(fields.data) }
      })
  const reading = (async () => {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      if (enough(all())) break
    }
    over.abort()
    return all()
  })()
  return { seen: within('the events of a run', reading, { now: () => text }) }
}
