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
      description:
        'As it was sent with the bytes, without parameters, and once it is processed, as its content says.',
    }),
    sizeBytes: Type.Integer(),
    sha256: Type.String({ description: 'In hex.' }),
    status: Type.String({
      enum: ['processing', 'processed', 'failed'],
      description:
        '`processed`: its text can be read; where `error` is beside it, it is that of an earlier reading. `failed`: there is no text, and `error` says why; the bytes are kept.',
    }),
    error: Nullable(FailureSchema('Why the last reading failed.')),
    textChars: Nullable(Type.Integer({ description: 'How long its text is, once there is one.' })),
    textTruncated: Type.Boolean({ description: 'Whether there was more text than is kept.' }),
    charset: Nullable(
      Type.String({
        description: 'How its letters are written, as was said with the bytes or when it was read again.',
      }),
    ),
    warnings: Type.Array(Warning, {
      description:
        'What is to be known of how its text was read, such as a charset that was found by the bytes alone.',
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
