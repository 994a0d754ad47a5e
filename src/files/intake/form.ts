import type { FastifyRequest } from 'fastify'
import type { PendingBlob } from '../../blobs/blob-row.ts'
import { ApiError } from '../../core/errors.ts'
import { SIZE } from '../../core/limits.ts'
import { mustBeCharset } from '../charset.ts'
import { bodyError } from './receive-upload.ts'
import type { ReceivedFile } from './upload-metadata.ts'
import { declaredTypeOf, mustBeName } from './upload-metadata.ts'

/** Limits of a form: one file, and two small fields. */
export const LIMITS = {
  files: 2,
  fields: 3,
  parts: 4,
  fieldNameSize: 100,
  fieldSize: 1_024,
  headerPairs: 20,
  // One byte more than the limit, so that a larger file is noticed and not truncated.
  fileSize: SIZE.file + 1,
}

/** The longest boundary (RFC 2046 5.1.1). */
const LONGEST_BOUNDARY = 70

interface FormParts {
  /** The name and charset of a form without these fields. */
  name: string
  charset: string | undefined
  take: (source: AsyncIterable<Uint8Array>) => Promise<PendingBlob>
  abandon: (blob: PendingBlob) => Promise<void>
}

/**
 * Reads a form with one part `file`, and optional fields `name` and `charset`.
 * @throws ApiError VALIDATION_FAILED
 */
export async function readUploadForm(
  request: FastifyRequest,
  { name, charset, take, abandon }: FormParts,
): Promise<ReceivedFile> {
  const boundary = /boundary="?([^";]*)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? ''
  if (boundary === '' || boundary.length > LONGEST_BOUNDARY) throw bodyError('malformed_form')
  let received: ReceivedFile | undefined
  let givenName: string | undefined
  let givenCharset = charset
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (typeof part.value !== 'string') throw bodyError('unknown_part')
        if (part.fieldname === 'name') givenName = mustBeName(part.value)
        else if (part.fieldname === 'charset') givenCharset = mustBeCharset(part.value)
        else throw bodyError('unknown_part')
        continue
      }
      if (part.fieldname !== 'file') throw bodyError('unknown_part')
      if (received !== undefined) throw bodyError('more_than_one_file')
      const fileName = part.filename === undefined || part.filename === '' ? name : mustBeName(part.filename)
      received = { blob: await take(part.file), name: fileName, ...declaredTypeOf(part.mimetype) }
    }
  } catch (error) {
    if (received !== undefined) await abandon(received.blob)
    throw error instanceof ApiError ? error : bodyError('malformed_form')
  }
  if (received === undefined) throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'file' })
  return { ...received, name: givenName ?? received.name, charset: givenCharset ?? received.charset }
}
