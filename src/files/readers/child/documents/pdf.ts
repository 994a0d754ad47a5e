import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../common/limits.ts'
import { LONGEST_DETAIL, type Warning } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'

/** A piece of text of a page, as the library gives it. */
interface Item {
  str?: string
  hasEOL?: boolean
}

/** What is fixed to a page, as far as it has words: a field of a form, or a remark. */
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

/** Remarks whose words stand nowhere on the page. */
const REMARKS = new Set([
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
 * Reads the text layer of a PDF, page by page, behind it the fields of its form and its remarks. What is in it is never run, drawn or fetched; a file that asks for a password
 * is tried with none.
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

/** What a field is called and what is in it, or what a remark says; nothing for one that is empty. */
function wordsOf(one: Annotation): string[] {
  const { subtype = '', hidden, password, contentsObj } = one
  if (hidden === true || password === true) return []
  if (REMARKS.has(subtype)) return oneLine(contentsObj?.str ?? '')
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
  // Each button of a group is a field; the one that is on has the value of all.
  const own = buttonValue ?? exportValue
  return typeof fieldValue === 'string' && fieldValue !== OFF && fieldValue === own ? `☒ ${own}` : ''
}

function oneLine(words: string): string[] {
  const line = words.replace(/\s+/g, ' ').trim()
  return line === '' ? [] : [line]
}

/** Loaded for those who need it: it is by far the largest. */
async function load() {
  return import('pdfjs-dist/legacy/build/pdf.mjs')
}
