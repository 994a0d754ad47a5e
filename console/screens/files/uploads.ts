import type { StoredFile } from '#sdk/postern.ts'
import { MINUTE } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { type Failure, toFailure } from '../../app/data/failure.ts'
import { createClient } from '../../app/data/operations.ts'
import { baseUrl } from '../../app/data/postern.ts'
import { tokenFor } from '../../app/data/session.ts'
import { organizationId } from '../../app/router.ts'
import { createStore } from '../../app/store.ts'

/** Uploads in progress. They continue while the person visits other screens. */
export interface Upload {
  id: number
  organization: string
  name: string
  bytes: Blob
  sent: number
  state: 'waiting' | 'sending' | 'failed'
  failure: Failure | undefined
  cut: AbortController
  done: (file: StoredFile) => void
}

export const uploads = createStore<readonly Upload[]>([])
/** So many at a time: an organization has a share of them. */
const AT_ONCE = 2
/** As the API has it. */
export const LARGEST = 64 * 1024 * 1024
let last = 0

function change(id: number, changed: Partial<Upload>): void {
  uploads.set(uploads.get().map((one) => (one.id === id ? { ...one, ...changed } : one)))
}

/** Sends files to the organization of the address. @param done is called with each that has arrived */
export function uploadAll(
  files: Iterable<globalThis.File>,
  done: (file: StoredFile) => void = () => {},
): void {
  const organization = organizationId()
  if (organization === undefined) return
  const added = [...files].map((bytes): Upload => {
    last += 1
    return {
      ...{ id: last, organization, name: bytes.name, bytes, sent: 0, state: 'waiting', failure: undefined },
      ...{ cut: new AbortController(), done },
    }
  })
  uploads.set([...uploads.get(), ...added])
  beginNext()
}

/** Ends one that is under way, or takes one that failed off the list. */
export function dropUpload({ id, cut }: Upload): void {
  cut.abort()
  uploads.set(uploads.get().filter((one) => one.id !== id))
  beginNext()
}

export function retryUpload({ id }: Upload): void {
  change(id, { state: 'waiting', sent: 0, failure: undefined, cut: new AbortController() })
  beginNext()
}

function beginNext(): void {
  const under = uploads.get().filter(({ state }) => state === 'sending').length
  for (const one of uploads
    .get()
    .filter(({ state }) => state === 'waiting')
    .slice(0, Math.max(0, AT_ONCE - under))) {
    change(one.id, { state: 'sending' })
    void send(one)
  }
}

async function send({ id, organization, name, bytes, cut, done }: Upload): Promise<void> {
  const client = createClient({
    ...{ baseUrl, maxRetries: 0, timeoutMs: 5 * MINUTE, deadlineMs: 5 * MINUTE },
    token: (refused) => tokenFor(organization, refused),
    fetch: sending((sent) => change(id, { sent })),
  })
  try {
    const headers = { 'content-type': bytes.type || 'application/octet-stream' }
    const file = await client.files.upload(bytes, { query: { name }, headers, signal: cut.signal })
    uploads.set(uploads.get().filter((one) => one.id !== id))
    if (organization === organizationId()) outdate('files')
    done(file)
  } catch (thrown) {
    if (!cut.signal.aborted) change(id, { state: 'failed', failure: toFailure(thrown) })
  }
  beginNext()
}

/** `fetch` that reports the progress of the upload, which the browser's own does not. */
function sending(progress: (sent: number) => void): typeof fetch {
  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const call = new XMLHttpRequest()
      call.open(method, String(address))
      for (const [name, value] of new Headers(headers)) call.setRequestHeader(name, value)
      call.upload.onprogress = ({ loaded }) => progress(loaded)
      call.onload = () => {
        const lines = call.getAllResponseHeaders().trim().split('\r\n')
        const pairs = lines.map((line): [string, string] => {
          const at = line.indexOf(':')
          return [line.slice(0, at), line.slice(at + 1).trim()]
        })
        resolve(new Response(call.responseText, { status: call.status, headers: pairs }))
      }
      call.onerror = () => reject(new TypeError('The connection was lost'))
      call.onabort = () => reject(signal?.reason)
      signal?.addEventListener('abort', () => call.abort())
      call.send(body as XMLHttpRequestBodyInit)
    })
}
