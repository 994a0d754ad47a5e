import { posix } from 'node:path'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { resolve } from '../container/relationships.ts'
import { parseXml } from '../container/xml.ts'
import type { Zip } from '../container/zip.ts'
import { readHtml } from '../texts/html.ts'

const CONTAINER = 'META-INF/container.xml'
const ENCRYPTION = 'META-INF/encryption.xml'
const PAGE = /^application\/xhtml\+xml$|^text\/html$/

/** Reads the chapters of a book in order. */
export async function readEpub(zip: Zip, writer: Writer): Promise<void> {
  const encrypted = await readEncrypted(zip)
  const chapters = await readSpine(zip, await readRoot(zip))
  if (chapters.length > LIMITS.pages) throw new Refusal('too_large', 'more than 2,000 chapters')
  for (const chapter of chapters) {
    // Only chapters matter: fonts may be encrypted, and are not read.
    if (encrypted.has(chapter)) throw new Refusal('encrypted', 'its text is locked')
    const bytes = []
    for await (const chunk of zip.content(chapter)) bytes.push(chunk)
    writer.at({})
    readHtml(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes)), writer)
  }
}

async function readRoot(zip: Zip): Promise<string> {
  let root: string | undefined
  await parseXml(zip.content(CONTAINER), {
    open(name, attributes) {
      if (name === 'rootfile') root ??= attributes['full-path']
    },
  })
  if (root === undefined) throw new Refusal('corrupt', 'it has no contents')
  return root
}

async function readSpine(zip: Zip, root: string): Promise<string[]> {
  const items = new Map<string, string>()
  const known = new Set<string>()
  const chapters: string[] = []
  await parseXml(zip.content(root), {
    open(name, { id = '', href = '', idref = '', 'media-type': mediaType = '' }) {
      if (name === 'item' && PAGE.test(mediaType)) items.set(id, inBook(posix.dirname(root), href))
      if (name === 'item') known.add(id)
      if (name !== 'itemref') return
      if (!known.has(idref)) throw new Refusal('corrupt', 'a chapter leads nowhere')
      const chapter = items.get(idref)
      if (chapter !== undefined) chapters.push(chapter)
    },
  })
  return chapters
}

async function readEncrypted(zip: Zip): Promise<Set<string>> {
  const names = new Set<string>()
  if (!zip.has(ENCRYPTION)) return names
  await parseXml(zip.content(ENCRYPTION), {
    open(name, { URI = '' }) {
      if (name === 'CipherReference') names.add(inBook('', URI))
    },
  })
  return names
}

/** Resolves a reference, which may have URL escapes and a fragment, to a name in the zip. */
function inBook(folder: string, reference: string): string {
  const [path = ''] = reference.split('#')
  try {
    return resolve(folder, decodeURIComponent(path))
  } catch {
    return resolve(folder, path)
  }
}
