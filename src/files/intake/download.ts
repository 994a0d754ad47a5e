import { BlobTooLargeError } from '../../blobs/blob-storage.ts'
import { type Millis, SECOND } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { SIZE } from '../../core/limits.ts'
import { toLabel } from '../../core/text/label.ts'
import { VERSION } from '../../core/version.ts'
import { CallError, headerOf, type StreamAnswer, streamCall } from '../../net/call.ts'
import { readDestination } from '../../net/destination.ts'
import type { FileDeps } from '../deps.ts'
import { storageError } from './receive-upload.ts'
import type { ReceivedFile } from './upload-metadata.ts'
import { declaredTypeOf, LONGEST_NAME } from './upload-metadata.ts'

/** The deadline of a download, from the first look-up to the last byte. */
export const FETCH_DEADLINE: Millis = 20 * SECOND
export const MOST_REDIRECTS = 5

const REDIRECTS = new Set([301, 302, 303, 307, 308])

type DownloadDeps = Pick<FileDeps, 'agent' | 'blobs' | 'clock' | 'log'>

/**
 * Downloads a URL. Redirects are followed, and each address is checked like the first one.
 * @throws ApiError FETCH_FAILED with `reason`; PROCESSING_FAILED where the bytes cannot be stored
 */
export async function download(
  { agent, blobs, clock, log }: DownloadDeps,
  { organizationId }: { organizationId: Id<'organization'> },
  first: URL,
): Promise<ReceivedFile> {
  const end = clock.now() + FETCH_DEADLINE
  const headers = { 'user-agent': `Postern/${VERSION}`, accept: '*/*', 'accept-encoding': 'identity' }
  let url = first
  for (let redirects = 0; ; redirects += 1) {
    const deadline = Math.max(1, end - clock.now())
    const limits = { clock, deadline, agent, owner: organizationId }
    const answer = await streamCall(url, { method: 'GET', headers }, limits).catch((error: unknown) => {
      throw fetchFailed(reasonOf(error))
    })
    if (REDIRECTS.has(answer.status)) {
      answer.discard()
      if (redirects === MOST_REDIRECTS) throw fetchFailed('too_many_redirects')
      url = next(url, answer)
      continue
    }
    const trouble = troubleOf(answer)
    if (trouble !== undefined) {
      answer.discard()
      throw fetchFailed(trouble)
    }
    const metadata = { name: nameIn(url), ...declaredTypeOf(headerOf(answer, 'content-type')) }
    let bodyError: unknown
    const blob = await blobs
      .write(
        organizationId,
        watched(answer.body, (error) => {
          bodyError = error
        }),
        SIZE.file,
      )
      .catch((error: unknown) => {
        if (error instanceof BlobTooLargeError) throw fetchFailed('too_large')
        throw bodyError === undefined ? storageError(error, log) : fetchFailed(reasonOf(error, 'cut_short'))
      })
    if (blob.size > 0) return { ...metadata, blob }
    await blobs.abandon(blob)
    throw fetchFailed('empty')
  }
}

/** @throws ApiError FETCH_FAILED */
function next(from: URL, answer: StreamAnswer): URL {
  const header = headerOf(answer, 'location')
  const location = header === undefined ? null : URL.parse(header, from)
  const url = location === null ? 'not_a_url' : readDestination(location.href)
  if (typeof url === 'string') throw fetchFailed('bad_redirect')
  if (from.protocol === 'https:' && url.protocol !== 'https:') throw fetchFailed('insecure_redirect')
  return url
}

/** @returns why an answer is not accepted as a file; undefined where it is */
function troubleOf(answer: StreamAnswer): string | undefined {
  if (answer.status !== 200) return `status_${answer.status}`
  // The request accepts no encoding, because the size of the decoded bytes would be unknown.
  if (!/^(identity)?$/i.test(headerOf(answer, 'content-encoding') ?? '')) return 'encoded'
  return Number(headerOf(answer, 'content-length') ?? 0) > SIZE.file ? 'too_large' : undefined
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  onBroken: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    onBroken(error)
    throw error
  }
}

/** A file name from a URL: the last part of the path, else the host. */
function nameIn({ pathname, hostname }: URL): string {
  const last = pathname.split('/').findLast((part) => part !== '') ?? hostname
  let name = last
  try {
    name = decodeURIComponent(last)
  } catch {
    // An invalid escape: the part is used undecoded.
  }
  return toLabel(name, LONGEST_NAME) ?? hostname
}

function reasonOf(error: unknown, otherwise = 'unreachable'): string {
  if (!(error instanceof CallError)) return otherwise
  return error.reason === 'unreachable' ? otherwise : error.reason
}

function fetchFailed(reason: string): ApiError {
  return new ApiError('FETCH_FAILED', { reason })
}
