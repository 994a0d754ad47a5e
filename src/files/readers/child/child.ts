import { writeSync } from 'node:fs'
import { readCsv } from './csv.ts'
import { readHtml } from './html.ts'
import { readInput } from './input.ts'
import type { Kind, Message } from './messages.ts'
import { Refusal, refusalOf } from './refusal.ts'
import { type Found, sniff } from './sniff.ts'
import { readJson, readMarkdown, readPlainText } from './text.ts'
import { createWriter, Enough, type Writer } from './writer.ts'

/**
 * Reads one file of a stranger, in a process that may do nothing else (`src/processes/program.ts`): it takes the bytes from
 * its input, says on its output what it finds, and ends.
 */
type Read = (content: { text: string; bytes: Buffer }, writer: Writer) => Promise<void> | void

const READERS: Partial<Record<Kind, Read>> = {
  text: ({ text }, writer) => readPlainText(text, writer),
  markdown: ({ text }, writer) => readMarkdown(text, writer),
  json: ({ text }, writer) => readJson(text, writer),
  csv: ({ text }, writer) => readCsv(text, writer),
  html: ({ text }, writer) => readHtml(text, writer),
}
/** Text that is blank is text all the same; where nothing was written at all, there is something that cannot be read. */
const MAY_BE_BLANK = new Set<Kind>(['text', 'markdown', 'json', 'csv', 'xlsx', 'ods'])

const OUTPUT = 1

function say(message: Message): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(OUTPUT, line, at)
}

async function read(bytes: Buffer, { kind, text = '' }: Found): Promise<boolean> {
  const readKind = READERS[kind]
  if (readKind === undefined) throw new Refusal('unsupported', 'nothing here reads files of this kind')
  const writer = createWriter((pieces) => say({ is: 'pieces', pieces }))
  let isTruncated = false
  try {
    await readKind({ text, bytes }, writer)
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    isTruncated = true
  }
  if (!writer.end() && !MAY_BE_BLANK.has(kind)) throw new Refusal('no_text', 'there is no text in it')
  return isTruncated
}

const input = readInput()
if (input !== undefined) {
  const { assignment, bytes } = input
  try {
    const found = sniff(bytes, assignment)
    say({ is: 'kind', kind: found.kind, mediaType: found.mediaType })
    say({ is: 'end', isTruncated: await read(bytes, found) })
  } catch (error) {
    say({ is: 'refused', ...refusalOf(error) })
  }
}
// What a parser may have begun and never ends holds nobody up.
process.exit()
