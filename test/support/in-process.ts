import type { Assignment, Message, TextPiece, Warning } from '#src/files/readers/child/common/messages.ts'
import { readFile } from '#src/files/readers/child/read-file.ts'

/** Calls the reader of files in this process, for tests of the reader itself. */
export interface Said {
  kind: string
  pieces: TextPiece[]
  warnings: Warning[]
  /** `end`, or the refusal: `xlsx too_large`. */
  verdict: string
}

export async function readHere(
  content: string | Buffer,
  name: string,
  { mediaType = '', charset = null }: Partial<Pick<Assignment, 'mediaType' | 'charset'>> = {},
): Promise<Said> {
  const bytes = Buffer.from(content)
  const messages: Message[] = []
  await readFile(bytes, { name, mediaType, charset, sizeBytes: bytes.length }, (message) =>
    messages.push(message),
  )
  const [first] = messages
  const last = messages.at(-1)
  const kind = first?.is === 'kind' ? first.kind : ''
  return {
    kind,
    pieces: messages.flatMap((message) => (message.is === 'pieces' ? message.pieces : [])),
    warnings: messages.flatMap((message) =>
      message.is === 'warned' ? [{ code: message.code, detail: message.detail }] : [],
    ),
    verdict: last?.is === 'refused' ? `${kind} ${last.reason}` : `${last?.is}`,
  }
}

/** The texts of a book's sheets. @throws Error where it is refused */
export async function textsOf(bytes: Buffer): Promise<Record<string, string>> {
  const { pieces, verdict } = await readHere(bytes, 'a.xlsx')
  if (verdict !== 'end') throw new Error(`not read: ${verdict}`)
  const texts: Record<string, string> = {}
  for (const { text, location } of pieces) {
    texts[location.sheet ?? ''] = (texts[location.sheet ?? ''] ?? '') + text
  }
  return texts
}
