import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Config } from '../config/blobs-url.ts'
import { type Clock, MINUTE, type Millis, toIso } from '../core/clock.ts'
import { createAgent } from '../net/agent.ts'
import { type CallRequest, type StreamAnswer, streamCall } from '../net/call.ts'
import type { Resolve } from '../net/destination.ts'
import { type Bytes, MissingBytesError } from './bytes.ts'
import { piecesOf, writePart } from './folder.ts'

/** One request, to the last byte of 64 MiB. */
const DEADLINE: Millis = 2 * MINUTE
/** The SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Bytes in a storage that speaks S3, by addresses that have the bucket in their path. */
export function s3Bytes(config: S3Config, { clock, resolve }: { clock: Clock; resolve: Resolve }): Bytes {
  // The operator configured this address: it is not checked.
  const agent = createAgent({ isAllowed: () => true, resolve })
  const place = `${config.endpoint}/${config.bucket}${config.prefix === '' ? '' : `/${config.prefix}`}`
  const addressOf = (name: string) => new URL(`${place}/${name}`)

  async function ask(
    name: string,
    method: string,
    headers: Record<string, string>,
    body?: CallRequest['body'],
  ): Promise<StreamAnswer> {
    const { AwsV4Signer } = await import('aws4fetch')
    const signed = await new AwsV4Signer({
      ...{ method, url: addressOf(name).href, service: 's3', region: config.region },
      ...{ accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
      headers: { 'x-amz-content-sha256': EMPTY, ...headers },
      datetime: toIso(clock.now()).replace(/[:-]|\.\d{3}/g, ''),
    }).sign()
    const sent = Object.fromEntries(signed.headers)
    // They are part of the signature, and the client sets them itself.
    delete sent.host
    return streamCall(
      signed.url,
      { method, headers: sent, ...(body === undefined ? {} : { body }) },
      { clock, deadline: DEADLINE, agent, owner: 'blobs' },
    )
  }

  /** @throws Error in the storage's own words */
  async function refused(answer: StreamAnswer, what: string): Promise<never> {
    let text = ''
    for await (const piece of answer.body) {
      text += Buffer.from(piece).toString()
      if (text.length > 1_000) break
    }
    const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? ''
    throw new Error(`the storage at ${place} answered ${answer.status} ${code} to ${what}`)
  }

  return {
    place,

    async write(name, source, most) {
      // Its length and digest must be known before it can be sent, and it does not fit into memory.
      const file = join(tmpdir(), `postern-${randomUUID()}`)
      try {
        const { size, sha256 } = await writePart(file, source, most)
        const answer = await ask(
          name,
          'PUT',
          { 'x-amz-content-sha256': sha256, 'content-length': String(size) },
          piecesOf(await open(file)),
        )
        if (answer.status !== 200) return await refused(answer, 'PUT')
        answer.discard()
        return { size, sha256 }
      } finally {
        await rm(file, { force: true })
      }
    },

    async read(name, range) {
      const wanted = range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` }
      const answer = await ask(name, 'GET', wanted as Record<string, string>)
      if (answer.status === 200 || answer.status === 206) return answer.body
      if (answer.status !== 404) return refused(answer, 'GET')
      answer.discard()
      throw new MissingBytesError(name)
    },

    async remove(name) {
      const answer = await ask(name, 'DELETE', {})
      if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404)
        return refused(answer, 'DELETE')
      answer.discard()
    },

    close: () => agent.close(),
  }
}
