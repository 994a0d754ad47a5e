import type { StoredFile } from '#sdk/postern.ts'
import { type Data, outdate, put, useData } from '../../app/data/cache.ts'
import { amendRow, type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

export function useFiles(): Listed<StoredFile> {
  return useList('files', (how) => postern.files.list({ limit: 50 }, how))
}

export function useFile(id: string): Data<StoredFile> {
  return useData(`file ${id}`, (how) => postern.files.read(id, how))
}

/** Follows what becomes of files. @param ended one has been read, or could not be */
export function useLiveFiles(ended: (file: StoredFile) => void = () => {}): void {
  useLive(['file'], ({ event, data }) => {
    if (event === 'gap') {
      outdate('files')
      outdate('file ')
      return
    }
    const file = data as StoredFile
    amendRow('files', file)
    put(`file ${file.id}`, file)
    if (file.status !== 'processing') ended(file)
  })
}

const REASONS: Record<string, string> = {
  encrypted: 'A password locks it',
  no_text: 'There is no text in it, as in a scan',
  unsupported: 'Nothing here reads such files',
  too_large: 'It holds more than may be read of one file',
  corrupt: 'It is broken, or not what its name says',
  timeout: 'Reading it took too long',
  encoding: 'It is in no encoding that can be told',
  crashed: 'What reads it crashed',
  crashed_repeatedly: 'What reads it crashed again and again',
  blob_missing: 'Its bytes are not there any more',
  blob_altered: 'Its bytes are not those that came',
}

/** Why a file has no text, as a sentence. */
export function whyNot({ error }: Pick<StoredFile, 'error'>): string {
  if (error === null) return ''
  return REASONS[error.reason ?? ''] ?? String(error.reason ?? error.code).replaceAll('_', ' ')
}

const KINDS: [RegExp, string][] = [
  [/pdf$/, 'PDF'],
  [/spreadsheetml|opendocument\.spreadsheet|ms-excel/, 'Spreadsheet'],
  [/wordprocessingml|opendocument\.text/, 'Document'],
  [/presentationml|opendocument\.presentation/, 'Slides'],
  [/epub/, 'Book'],
  [/markdown/, 'Markdown'],
  [/html/, 'Web page'],
  [/csv|tab-separated/, 'Table'],
  [/json/, 'JSON'],
  [/^text\//, 'Text'],
  [/^image\//, 'Picture'],
]

/** What a media type is to people; itself where they have no word for it. */
export function kindOf(mediaType: unknown): string {
  const type = String(mediaType)
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? type
}
