import type { FastifyRequest } from 'fastify'
import type { PendingBlob } from '../../blobs/blob-row.ts'
import type { Written } from '../../blobs/bytes.ts'
import { ApiError } from '../../core/errors.ts'
import { isLabel, LABEL_PATTERN } from '../../core/text/label.ts'
import { Type } from '../../http/schema/type.ts'

/** Characters of what a file is called. */
export const LONGEST_NAME = 255

/** What a file is called: a label, and never part of a path. */
export const FileName = Type.String({
  minLength: 1,
  maxLength: LONGEST_NAME,
  pattern: LABEL_PATTERN,
  examples: ['report.pdf'],
})

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/
const CHARSET = /^charset\s*=\s*"?([\w.:+-]{1,40})"?$/
/** The type that clients send where they know none. */
const NOT_A_FILE_TYPE = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** What a `Content-Type` says of bytes. */
interface DeclaredType {
  mediaType: string
  /** The charset of a text; null where the header names none. */
  charset: string | null
}

/** Bytes that have arrived, before a file refers to them. */
export interface ReceivedFile extends DeclaredType {
  blob: PendingBlob
  name: string
}

/** Reads a `Content-Type`; parameters other than `charset` are ignored. */
export function declaredTypeOf(header: string | undefined): DeclaredType {
  const [essence = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const named = essence.trim()
  const charset = parameters.map((one) => CHARSET.exec(one.trim())?.[1]).find((said) => said !== undefined)
  const isSaid = MEDIA_TYPE.test(named) && !NOT_A_FILE_TYPE.has(named)
  return { mediaType: isSaid ? named : 'application/octet-stream', charset: charset ?? null }
}

/** @throws ApiError VALIDATION_FAILED where it can be no name */
export function mustBeName(name: string): string {
  if (isLabel(name, LONGEST_NAME)) return name
  throw new ApiError('VALIDATION_FAILED', { field: 'name', value: name.slice(0, 256) })
}

/**
 * The SHA-256 that `Content-Digest` names (RFC 9530), in hex; undefined where it names none.
 * @throws ApiError VALIDATION_FAILED where it cannot be read
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

/** @throws ApiError VALIDATION_FAILED where other bytes have arrived than were sent */
export function verifyDigest(said: string | undefined, { sha256 }: Written): void {
  if (said !== undefined && said !== sha256)
    throw new ApiError('VALIDATION_FAILED', { field: 'Content-Digest', reason: 'other_bytes' })
}
