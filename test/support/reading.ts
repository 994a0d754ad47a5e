import { createHash } from 'node:crypto'
import type { Readers } from '#src/files/readers/read-text.ts'
import type { Reading, ReadOptions, Source } from '#src/files/readers/reading.ts'

/** Bytes as a file that was taken in. */
export function sourceOf(bytes: Uint8Array): Source {
  return {
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    async *open() {
      yield bytes
    },
  }
}

/** Has a file read for one organization. */
export function read(
  readers: Readers,
  content: string | Uint8Array,
  name: string,
  options: Partial<ReadOptions> = {},
): Promise<Reading> {
  return readers.readText(sourceOf(Buffer.from(content)), {
    organizationId: 'org_a',
    name,
    mediaType: 'application/octet-stream',
    charset: null,
    signal: new AbortController().signal,
    ...options,
  })
}

/** The whole text of a file. @throws Error where there is none */
export function textOf(reading: Reading): string {
  if (!reading.ok) throw new Error(`not read: ${reading.code} ${reading.reason} (${reading.detail})`)
  return reading.pieces.map(({ text }) => text).join('')
}

/** `PARSE_FAILED encoding`; or that there is nothing wrong. */
export function verdictOf(reading: Reading): string {
  return reading.ok ? `ok ${reading.kind}` : `${reading.code} ${reading.reason}`
}
