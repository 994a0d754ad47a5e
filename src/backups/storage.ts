import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { piecesOf } from '../blobs/folder-storage.ts'
import { createS3Client, RefusedByStorageError, textOf } from '../blobs/s3-client.ts'
import type { S3Config } from '../config/blobs-url.ts'
import { type Clock, MINUTE, type Millis, pause, SECOND } from '../core/clock.ts'
import { CallError, headerOf, type StreamAnswer } from '../net/call.ts'
import type { Resolve } from '../net/destination.ts'

const MB = 1024 * 1024
/** Bytes of one request; larger objects are written and read by several. */
const PART = 16 * MB
/** S3's limit for parts of an object. */
const MOST_PARTS = 10_000
/** The deadline of a part; a longer part gets the same time again for each further length of a part. */
const PART_DEADLINE: Millis = 2 * MINUTE
/** The deadline of a request without a body. */
const BRIEF: Millis = 30 * SECOND
/** The deadline of a completion, because the storage joins all parts before it answers. */
const JOIN_DEADLINE: Millis = 10 * MINUTE
/** The waits before a failed request is repeated. */
const WAITS: Millis[] = [200, SECOND, 3 * SECOND]

/** Large objects in S3-compatible storage, each written and read by several requests. */
interface Storage {
  /** @returns the size of the object; undefined where it does not exist */
  sizeOf(name: string): Promise<number | undefined>
  /** Uploads a file; the object exists only after the whole upload. @throws CallError, RefusedByStorageError */
  write(name: string, file: string, size: number): Promise<void>
  /**
   * Reads an object, and refuses one that changes during the read.
   * @throws CallError, RefusedByStorageError
   */
  read(name: string): AsyncGenerator<Uint8Array>
  remove(name: string): Promise<void>
  /** Aborts incomplete uploads of this name, because their parts take space that no list shows. */
  endUploads(name: string): Promise<void>
  close(): Promise<void>
}

/** @param partSize tests have smaller ones, of 5 MiB at least */
export function openStorage(
  config: S3Config,
  { clock, resolve, partSize = PART }: { clock: Clock; resolve: Resolve; partSize?: number },
): Storage {
  const { place, ask, refused, close } = createS3Client(config, { clock, resolve, owner: 'backups' })

  /** Runs idempotent work up to four times while the storage is unreachable or overloaded. */
  async function persist<T>(work: () => Promise<T>): Promise<T> {
    for (const wait of WAITS)
      try {
        return await work()
      } catch (error) {
        if (!mayPass(error)) throw error
        await pause(wait)
      }
    return work().catch(fail)
  }

  /** @throws Error that names the storage, where no answer arrived */
  function fail(error: unknown): never {
    if (!(error instanceof CallError)) throw error
    throw new Error(`the storage at ${place} does not answer (${error.reason})`, { cause: error })
  }

  /** @throws RefusedByStorageError for any other status */
  async function expect(answer: StreamAnswer, what: string, ...statuses: number[]): Promise<StreamAnswer> {
    return statuses.includes(answer.status) ? answer : refused(answer, what)
  }

  /** Sends a request without a body and discards the body of the answer. */
  function briefly(
    name: string,
    method: string,
    query: Record<string, string>,
    ...statuses: number[]
  ): Promise<StreamAnswer> {
    return persist(async () => {
      const answer = await ask(name, { method, query, deadline: BRIEF })
      await expect(answer, method, ...statuses)
      answer.discard()
      return answer
    })
  }

  async function find(name: string): Promise<{ size: number; etag: string } | undefined> {
    const answer = await briefly(name, 'HEAD', {}, 200, 404)
    if (answer.status === 404) return undefined
    return { size: Number(headerOf(answer, 'content-length')), etag: headerOf(answer, 'etag') ?? '' }
  }

  /** Sends a range of a file. @returns the ETag of the part */
  function send(
    name: string,
    file: string,
    { first, size, query = {} }: { first: number; size: number; query?: Record<string, string> },
  ): Promise<string> {
    const pieces = async () => piecesOf(await open(file), { first, last: first + size - 1 })
    return persist(async () => {
      const hash = createHash('sha256')
      for await (const piece of await pieces()) hash.update(piece)
      const answer = await ask(name, {
        ...{ method: 'PUT', query, body: await pieces() },
        headers: { 'x-amz-content-sha256': hash.digest('hex'), 'content-length': String(size) },
        deadline: PART_DEADLINE * Math.ceil(size / PART),
      })
      await expect(answer, 'PUT', 200)
      answer.discard()
      return headerOf(answer, 'etag') ?? ''
    })
  }

  async function begin(name: string): Promise<string> {
    const text = await persist(async () => {
      const answer = await ask(name, { method: 'POST', query: { uploads: '' }, deadline: BRIEF })
      return textOf(await expect(answer, 'POST', 200))
    })
    const id = elementOf(text, 'UploadId')
    if (id === undefined) throw new Error('the storage began to take a backup and did not name it')
    return id
  }

  async function join(name: string, uploadId: string, marks: string[]): Promise<void> {
    const parts = marks.map(
      (mark, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${mark.replaceAll('"', '&quot;')}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const sha256 = createHash('sha256').update(body).digest('hex')
    const headers = { 'x-amz-content-sha256': sha256, 'content-type': 'application/xml' }
    const answer = await ask(name, {
      ...{ method: 'POST', query: { uploadId }, headers, body },
      deadline: JOIN_DEADLINE,
    })
    const text = await textOf(await expect(answer, 'POST', 200))
    // S3 may send status 200 before the join, and an error in the body.
    if (!text.includes('<CompleteMultipartUploadResult'))
      throw new Error(
        `the storage did not put the backup together: ${elementOf(text, 'Code') ?? 'no result'}`,
      )
  }

  const endUpload = (name: string, uploadId: string) => briefly(name, 'DELETE', { uploadId }, 204, 200, 404)

  async function writeInParts(name: string, file: string, size: number): Promise<void> {
    const length = Math.max(partSize, Math.ceil(size / MOST_PARTS))
    const uploadId = await begin(name)
    try {
      const marks: string[] = []
      for (let first = 0; first < size; first += length) {
        const query = { partNumber: String(marks.length + 1), uploadId }
        marks.push(await send(name, file, { first, size: Math.min(length, size - first), query }))
      }
      await join(name, uploadId, marks)
    } catch (error) {
      // A failed abort is repeated before the next backup.
      await endUpload(name, uploadId).catch(() => {})
      throw error
    }
  }

  return {
    sizeOf: async (name) => (await find(name))?.size,

    async write(name, file, size) {
      try {
        await (size > partSize ? writeInParts(name, file, size) : send(name, file, { first: 0, size }))
      } catch (error) {
        // The object may exist although the answer was lost.
        const there = await find(name).catch(() => undefined)
        if (there?.size !== size) fail(error)
      }
      const there = await find(name)
      if (there?.size !== size)
        throw new Error(`the storage has ${there?.size ?? 'no'} bytes of a backup of ${size}`)
    },

    async *read(name) {
      const found = await find(name)
      if (found === undefined) throw new Error('the storage has no such backup')
      const { size, etag } = found
      let [at, waits] = [0, WAITS]
      while (at < size)
        try {
          const range = `bytes=${at}-${Math.min(at + partSize, size) - 1}`
          const answer = await ask(name, { method: 'GET', headers: { range, 'if-match': etag } })
          if (answer.status === 412 || (headerOf(answer, 'etag') ?? '') !== etag) {
            answer.discard()
            throw new Error(`the storage has another ${name} since it began to be read`)
          }
          for await (const piece of (await expect(answer, 'GET', 206)).body) {
            at += piece.length
            waits = WAITS
            yield piece
          }
        } catch (error) {
          const [wait, ...more] = waits
          if (wait === undefined || !mayPass(error)) fail(error)
          waits = more
          await pause(wait)
        }
    },

    async remove(name) {
      await briefly(name, 'DELETE', {}, 204, 200, 404)
    },

    async endUploads(name) {
      const prefix = [config.prefix, name].filter((part) => part !== '').join('/')
      const text = await persist(async () => {
        const answer = await ask(undefined, {
          method: 'GET',
          query: { uploads: '', prefix },
          deadline: BRIEF,
        })
        // Some storages do not implement the list of uploads.
        if (answer.status !== 501) return textOf(await expect(answer, 'GET', 200))
        answer.discard()
        return ''
      })
      for (const upload of text.split('<Upload>').slice(1)) {
        const [key, id] = [elementOf(upload, 'Key'), elementOf(upload, 'UploadId')]
        if (key === prefix && id !== undefined) await endUpload(name, id)
      }
    },

    close,
  }
}

/** Whether the failure may be temporary. */
function mayPass(error: unknown): boolean {
  if (error instanceof RefusedByStorageError) return error.status >= 500 || error.status === 429
  return error instanceof CallError
}

/** The text of an XML element without child elements. */
function elementOf(xml: string, name: string): string | undefined {
  const begin = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, begin)
  return begin === -1 || end === -1 ? undefined : xml.slice(begin + name.length + 2, end)
}
