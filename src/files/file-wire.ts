import { toIso, toIsoOrNull } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Tables } from '../db/tables/tables.ts'
import { type Static, Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import { rowView } from '../live/row-view.ts'
import { FailureSchema, toFailure } from '../shared/failure.ts'

export type FileRow = Tables['file']

const Warning = Type.Object({
  code: Type.String({
    enum: ['charset_guessed', 'charset_not_followed', 'attachments_not_read', 'pages_without_text'],
  }),
  detail: Type.String({ description: 'Which charset, which attachments, which pages.' }),
})

export const FileSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    mediaType: Type.String({
      description: 'The media type of the upload, without parameters; after processing that of the content.',
    }),
    sizeBytes: Type.Integer(),
    sha256: Type.String({ description: 'In hex.' }),
    status: Type.String({
      enum: ['processing', 'processed', 'failed'],
      description:
        '`processed`: its text is available; with `error` it is the text of an earlier reading. `failed`: it has no text, and `error` has the reason; the bytes are kept.',
    }),
    error: Nullable(FailureSchema('Why the last reading failed.')),
    textChars: Nullable(
      Type.Integer({ description: 'The length of its text in characters; null without a text.' }),
    ),
    textTruncated: Type.Boolean({ description: 'Whether the text was cut at its maximum length.' }),
    charset: Nullable(
      Type.String({
        description: 'The character encoding from the upload or from the request to read it again.',
      }),
    ),
    warnings: Type.Array(Warning, {
      description: 'Notes about the reading of its text, such as a charset that was detected from the bytes.',
    }),
    createdBy: Type.String(),
    createdAt: Moment,
    processedAt: Nullable(Moment),
  },
  { title: 'StoredFile' },
)

export function toWire(row: FileRow): Static<typeof FileSchema> {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    status: row.status,
    error: toFailure(row),
    textChars: row.text_chars,
    textTruncated: row.text_truncated === 1,
    charset: row.charset,
    warnings: row.warnings === null ? [] : JSON.parse(row.warnings),
    createdBy: row.created_by,
    createdAt: toIso(row.created_at),
    processedAt: toIsoOrNull(row.processed_at),
  }
}

/** Files in the live stream. */
export const fileView = rowView('file', (rows) => rows.map(toWire))

/** @throws ApiError with the code of the failure, where the last reading failed */
export function mustNotHaveFailed({ id, error_code, error_reason: reason }: FileRow): void {
  if (error_code !== null) throw new ApiError(error_code, { fileId: id, reason } as never)
}
