import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../../blobs/blob-storage.ts'
import { ApiError } from '../../core/errors.ts'
import type { FileRow } from '../file-wire.ts'

/** The part of a file to answer with: all of it, one range, or nothing (304). */
type Part = 'whole' | 'nothing' | ByteRange

/** The entity tag of a file: its digest, as the bytes never change. */
export function etagOf({ sha256 }: Pick<FileRow, 'sha256'>): string {
  return `"${sha256}"`
}

/**
 * Evaluates the conditional headers and the range of a request, in the order of RFC 9110 13.2.2. Files have no date of change, so no
 * dates are compared.
 * @throws ApiError VALIDATION_FAILED where `If-Match` names other bytes
 */
export function requestedPart(
  headers: IncomingHttpHeaders,
  file: Pick<FileRow, 'sha256' | 'size_bytes'>,
): Part {
  const tag = etagOf(file)
  const { 'if-match': match, 'if-none-match': noneMatch, 'if-range': ifRange } = headers
  if (match !== undefined && !tagsOf(match).some((one) => one === '*' || one === tag))
    throw new ApiError('VALIDATION_FAILED', {
      field: 'If-Match',
      value: match.slice(0, 256),
      reason: 'other_bytes',
    })
  if (
    noneMatch !== undefined &&
    tagsOf(noneMatch).some((one) => one === '*' || one.replace(/^W\//, '') === tag)
  )
    return 'nothing'
  if (ifRange !== undefined && ifRange !== tag) return 'whole'
  return rangeOf(headers.range ?? '', file.size_bytes) ?? 'whole'
}

function tagsOf(header: string): string[] {
  return header.split(',').map((one) => one.trim())
}

/** The requested range, cut to the size; undefined for an unsatisfiable range, for several ranges, and for none. */
function rangeOf(header: string, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return first <= last ? { first, last } : undefined
}
