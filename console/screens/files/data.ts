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

/** Follows the changes of files. */
export function useLiveFiles(): void {
  useLive(['file'], ({ event, data }) => {
    if (event === 'gap') {
      outdate('files')
      outdate('file ')
      return
    }
    const file = data as StoredFile
    amendRow('files', file)
    put(`file ${file.id}`, file)
  })
}

/** Encodings to choose from where the guess was wrong: the frequent ones, by their names in the web's standard. */
export const CHARSETS = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'koi8-r',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
  'utf-16le',
]

const KINDS: [RegExp, string][] = [
  [/pdf$/, 'PDF'],
  [/spreadsheetml|opendocument\.spreadsheet|ms-excel/, 'Spreadsheet'],
  [/wordprocessingml|opendocument\.text/, 'Document'],
  [/presentationml|opendocument\.presentation/, 'Slides'],
  [/epub/, 'Book'],
  [/markdown/, 'Markdown'],
  [/html/, 'Web page'],
  [/rfc822|mbox/, 'E-mail'],
  [/rtf/, 'Rich text'],
  [/xml$/, 'XML'],
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
