import type { FastifyRequest } from 'fastify'
import type { PendingBlob } from '../../blobs/blob-row.ts'
import type { WrittenBlob } from '../../blobs/blob-storage.ts'
import { ApiError } from '../../core/errors.ts'
import { isLabel, LABEL_PATTERN } from '../../core/text/label.ts'
import { Type } from '../../http/schema/type.ts'

/** Characters of a file name. */
export const LONGEST_NAME = 255

/** The name of a file: a display name, never used as a path. */
export const FileName = Type.String({
  minLength: 1,
  maxLength: LONGEST_NAME,
  pattern: LABEL_PATTERN,
  examples: ['report.pdf'],
})

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/
const CHARSET = /^charset\s*=\s*"?([\w.:+-]{1,40})"?$/
/** Media types that clients send when they do not know that of the file. */
const NOT_A_FILE_TYPE = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** The media type and charset of a `Content-Type`. */
interface DeclaredType {
  mediaType: string
  /** The charset of a text; null where the header names none. */
  charset: string | null
}

/** Stored bytes and their metadata, before a file refers to them. */
export interface ReceivedFile extends DeclaredType {
  blob: PendingBlob
  name: string
}

/** Reads a `Content-Type`; parameters other than `charset` are ignored. */
export function declaredTypeOf(header: string | undefined): DeclaredType {
  const [essence = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const named = essence.trim()
  const charset = parameters.map((one) => CHARSET.exec(one.trim())?.[1]).find((name) => name !== undefined)
  const isDeclared = MEDIA_TYPE.test(named) && !NOT_A_FILE_TYPE.has(named)
  return { mediaType: isDeclared ? named : 'application/octet-stream', charset: charset ?? null }
}

/** @throws ApiError VALIDATION_FAILED for an invalid name */
export function mustBeName(name: string): string {
  if (isLabel(name, LONGEST_NAME)) return name
  throw new ApiError('VALIDATION_FAILED', { field: 'name', value: name.slice(0, 256) })
}

/**
 * The SHA-256 of the `Content-Digest` header (RFC 9530), in hex; undefined without the header.
 * @throws ApiError VALIDATION_FAILED where the header has no valid SHA-256
 */
export function declaredDigest({ headers }: FastifyRequest): string | undefined {
  const header = headers['content-digest']
  if (header === undefined) return undefined
  const [, base64 = ''] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(String(header)) ?? []
  if (base64 !== '') return Buffer.from(base64, 'base64').toString('hex')
  throw new ApiError('VALIDATION_FAILED', {
    field: 'Content-Digest',
    value: String(header).slice(0, 256),
    reason: 'sha_256_expected',
  })
}

/** @throws ApiError VALIDATION_FAILED where the received bytes have another digest than the declared one */
export function verifyDigest(declared: string | undefined, { sha256 }: WrittenBlob): void {
  if (declared !== undefined && declared !== sha256)
    throw new ApiError('VALIDATION_FAILED', { field: 'Content-Digest', reason: 'other_bytes' })
}
