import type { S3Config } from '../config/blobs-url.ts'
import { type Clock, MINUTE, type Millis, toIso } from '../core/clock.ts'
import { createAgent } from '../net/agent.ts'
import { type CallRequest, type StreamAnswer, streamCall } from '../net/call.ts'
import type { Resolve } from '../net/destination.ts'

/** One request, including the last byte of 64 MiB. */
const DEADLINE: Millis = 2 * MINUTE
/** The SHA-256 of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
/** Longest XML answer in characters: a page of 1,000 names is shorter. */
const LONGEST_ANSWER = 2 * 1024 * 1024

interface S3Request {
  method: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: CallRequest['body']
  deadline?: Millis
}

/** The storage has refused a request. */
export class RefusedByStorageError extends Error {
  override readonly name = 'RefusedByStorageError'
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Signed requests to one bucket of S3-compatible storage, with the bucket in the path. */
interface S3Client {
  /** Where the storage is, for people; without secrets. */
  readonly place: string
  /** Sends a request. @param name the key after the prefix; undefined for the bucket itself. @throws CallError */
  ask(name: string | undefined, request: S3Request): Promise<StreamAnswer>
  /** @throws RefusedByStorageError with the storage's message */
  refused(answer: StreamAnswer, what: string): Promise<never>
  close(): Promise<void>
}

/** @param owner the key in shared limits of connections */
export function createS3Client(
  config: S3Config,
  { clock, resolve, owner }: { clock: Clock; resolve: Resolve; owner: string },
): S3Client {
  // The operator configured this address: it is not checked.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const bucket = `${config.endpoint}/${config.bucket}`
  const place = `${bucket}${config.prefix === '' ? '' : `/${config.prefix}`}`

  return {
    place,

    async ask(name, { method, query = {}, headers = {}, body, deadline = DEADLINE }) {
      const { AwsV4Signer } = await import('aws4fetch')
      const url = new URL(name === undefined ? bucket : `${place}/${name}`)
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
      const signed = await new AwsV4Signer({
        ...{ method, url: url.href, service: 's3', region: config.region },
        ...{ accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
        headers: { 'x-amz-content-sha256': EMPTY, ...headers },
        datetime: toIso(clock.now()).replace(/[:-]|\.\d{3}/g, ''),
      }).sign()
      const sent = Object.fromEntries(signed.headers)
      // These are part of the signature, and the client sets them itself.
      delete sent.host
      return streamCall(
        signed.url,
        { method, headers: sent, ...(body === undefined ? {} : { body }) },
        { clock, deadline, agent, owner },
      )
    },

    async refused(answer, what) {
      const text = await textOf(answer, 1_000)
      const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? ''
      const said = [answer.status, code].filter((part) => part !== '').join(' ')
      throw new RefusedByStorageError(`the storage at ${place} answered ${said} to ${what}`, answer.status)
    },

    close: () => agent.close(),
  }
}

/** The text of an answer, up to a number of characters and one piece. @throws CallError */
export async function textOf({ body }: Pick<StreamAnswer, 'body'>, most = LONGEST_ANSWER): Promise<string> {
  let text = ''
  for await (const piece of body) {
    text += Buffer.from(piece).toString()
    if (text.length > most) break
  }
  return text
}
