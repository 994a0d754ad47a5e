import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../common/limits.ts'
import { LONGEST_DETAIL, type Warning } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'

/** A piece of a page's text in the library's form. */
interface Item {
  str?: string
  hasEOL?: boolean
}

/** An annotation of a page: a form field, or a comment. */
interface Annotation {
  subtype?: string
  hidden?: boolean
  fieldType?: string
  fieldName?: string
  fieldValue?: unknown
  alternativeText?: string
  password?: boolean
  checkBox?: boolean
  radioButton?: boolean
  buttonValue?: string
  exportValue?: string
  contentsObj?: { str?: string }
}

/** Annotations whose text is not part of the page's text. */
const COMMENTS = new Set([
  'Text',
  'FreeText',
  'Highlight',
  'Underline',
  'StrikeOut',
  'Squiggly',
  'Stamp',
  'Caret',
])
const OFF = 'Off'

/**
 * Reads the text of a PDF page by page, each followed by its form fields and comments. Nothing in the file is executed, rendered or
 * fetched. A file with a user password is refused.
 */
export async function readPdf(
  bytes: Buffer,
  writer: Writer,
  warn: (warning: Warning) => void,
): Promise<void> {
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
  const blank: number[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    writer.at({ page: number })
    let isBlank = true
    const reader = page.streamTextContent().getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const item of read.value.items as Item[]) {
        isBlank &&= !/\S/.test(item.str ?? '')
        writer.write(`${item.str ?? ''}${item.hasEOL === true ? '\n' : ''}`)
      }
    }
    writer.write('\n')
    if (isBlank) blank.push(number)
    for (const line of (await page.getAnnotations()).flatMap((one) => wordsOf(one as Annotation)))
      writer.write(`${line}\n`)
    page.cleanup()
  }
  if (blank.length > 0)
    warn({ code: 'pages_without_text', detail: blank.slice(0, LONGEST_DETAIL).join(', ') })
}

/** The lines of an annotation: the name and value of a field, or the text of a comment; none where it is empty. */
function wordsOf(one: Annotation): string[] {
  const { subtype = '', hidden, password, contentsObj } = one
  if (hidden === true || password === true) return []
  if (COMMENTS.has(subtype)) return oneLine(contentsObj?.str ?? '')
  if (subtype !== 'Widget') return []
  const value = fieldOf(one)
  return value === '' ? [] : oneLine(`${one.alternativeText || one.fieldName || ''}: ${value}`)
}

function fieldOf({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: Annotation): string {
  if (checkBox !== true && radioButton !== true)
    return [fieldValue]
      .flat()
      .filter((one) => typeof one === 'string')
      .join(', ')
  // Each button of a group is a field; the value of the group names the selected one.
  const own = buttonValue ?? exportValue
  return typeof fieldValue === 'string' && fieldValue !== OFF && fieldValue === own ? `☒ ${own}` : ''
}

function oneLine(words: string): string[] {
  const line = words.replace(/\s+/g, ' ').trim()
  return line === '' ? [] : [line]
}

/** Loaded on demand, because it is by far the largest library. */
async function load() {
  return import('pdfjs-dist/legacy/build/pdf.mjs')
}
