import type { TextPiece } from '#src/files/readers/child/common/messages.ts'
import { createWriter } from '#src/files/readers/child/common/writer.ts'
import { openZip } from '#src/files/readers/child/container/zip.ts'
import { readXlsx } from '#src/files/readers/child/xlsx/xlsx.ts'

/** The texts of a book's sheets, read here: for what is about the reader, not about its process. */
export async function textsOf(bytes: Buffer): Promise<Record<string, string>> {
  const pieces: TextPiece[] = []
  const writer = createWriter((some) => pieces.push(...some))
  await readXlsx(await openZip(bytes), writer)
  writer.end()
  const texts: Record<string, string> = {}
  for (const { text, location } of pieces)
    texts[location.sheet ?? ''] = (texts[location.sheet ?? ''] ?? '') + text
  return texts
}
