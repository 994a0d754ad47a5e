import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'

/** A piece of text of a page, as the library gives it. */
interface Item {
  str?: string
  hasEOL?: boolean
}

/**
 * Reads the text layer of a PDF, page by page. What is in it is never run, drawn or fetched; a file that asks for a password
 * is tried with none.
 */
export async function readPdf(bytes: Buffer, writer: Writer): Promise<void> {
  const library = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))
  const { getDocument, PasswordException, VerbosityLevel } = await load()
  const task = getDocument({
    data: new Uint8Array(bytes),
    stopAtErrors: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    cMapUrl: join(library, 'cmaps/'),
    cMapPacked: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    verbosity: VerbosityLevel.ERRORS,
  })
  const document = await task.promise.catch((error: unknown) => {
    if (error instanceof PasswordException) throw new Refusal('encrypted', 'it is locked by a password')
    throw error
  })
  if (document.numPages > LIMITS.pages) throw new Refusal('too_large', 'more than 2,000 pages')
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    writer.at({ page: number })
    const reader = page.streamTextContent().getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const item of read.value.items as Item[]) {
        writer.write(`${item.str ?? ''}${item.hasEOL === true ? '\n' : ''}`)
      }
    }
    writer.write('\n')
    page.cleanup()
  }
}

/** Loaded for those who need it: it is by far the largest. */
async function load() {
  return import('pdfjs-dist/legacy/build/pdf.mjs')
}
