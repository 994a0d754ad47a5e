import PostalMime, { type Address, type Email } from 'postal-mime'
import { LIMITS } from '../common/limits.ts'
import { LONGEST_DETAIL, type Warning } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'
import type { Writer } from '../common/writer.ts'
import { readHtml } from './html.ts'

const NEWLINE = 0x0a
/** The beginning of the separator line of a mailbox. */
const BEGIN = Buffer.from('From ')
/** Limits of nesting and of headers. */
const BOUNDS = { maxNestingDepth: 64, maxRfc822NestingDepth: 5, maxHeadersSize: 1024 * 1024 }
const LOCKED = /^(?:multipart\/encrypted|application\/(?:x-)?pkcs7-mime(?!.*signed-data))/is

type Warn = (warning: Warning) => void

/**
 * Reads a mail: its sender, its recipients, its text (or its HTML where it has no text), and the names of its attachments.
 * @throws Refusal encrypted
 */
export async function readMail(bytes: Buffer, writer: Writer, warn: Warn): Promise<void> {
  const attached: string[] = []
  await readMessage(bytes, writer, attached)
  warnOfAttachments(attached, warn)
}

/** Reads the mails of a mailbox file. */
export async function readMailbox(bytes: Buffer, writer: Writer, warn: Warn): Promise<void> {
  const attached: string[] = []
  let read = 0
  for (const message of messagesOf(bytes)) {
    read += 1
    if (read > LIMITS.entries) throw new Refusal('too_large', 'more than 10,000 messages')
    await readMessage(message, writer, attached)
  }
  warnOfAttachments(attached, warn)
}

async function readMessage(bytes: Buffer, writer: Writer, attached: string[]): Promise<void> {
  const mail = await PostalMime.parse(bytes, BOUNDS)
  const type = mail.headers.find(({ key }) => key === 'content-type')?.value ?? ''
  if (LOCKED.test(type)) throw new Refusal('encrypted', 'its text is locked')
  const { subject = '', attachments } = mail
  const heading = subject.replace(/\s+/g, ' ').trim()
  const where = heading === '' ? {} : { heading }
  writer.at(where)
  if (heading !== '') writer.write(`${heading}\n`)
  for (const line of headOf(mail)) writer.write(`${line}\n`)
  if (mail.text?.trim()) writer.write(`${mail.text.trimEnd()}\n`)
  else if (mail.html !== undefined) readHtml(mail.html, writer, where)
  for (const { filename, mimeType, disposition, related } of attachments) {
    // An inline image of the HTML is no attachment.
    if (related === true && disposition !== 'attachment') continue
    attached.push(filename ?? mimeType)
    writer.write(`${filename ?? mimeType}\n`)
  }
}

function headOf({ from, to, cc, date }: Email): string[] {
  const rows: [name: string, value: string][] = [
    ['From', from === undefined ? '' : nameOf(from)],
    ['To', (to ?? []).map(nameOf).join(', ')],
    ['Cc', (cc ?? []).map(nameOf).join(', ')],
    ['Date', date ?? ''],
  ]
  return rows.flatMap(([name, value]) => (value === '' ? [] : `${name}: ${value.replace(/\s+/g, ' ')}`))
}

/** `Ada <ada@example.com>`; for a group its name. */
function nameOf({ name, address }: Address): string {
  if (address === undefined) return name
  return name === '' ? address : `${name} <${address}>`
}

function warnOfAttachments(attached: string[], warn: Warn): void {
  if (attached.length === 0) return
  warn({ code: 'attachments_not_read', detail: attached.slice(0, 20).join(', ').slice(0, LONGEST_DETAIL) })
}

/** The mails of a mailbox: each begins after a separator line that follows an empty line. */
function* messagesOf(bytes: Buffer): Generator<Buffer> {
  let from = -1
  for (let at = 0; at >= 0; at = next(bytes, at + 1)) {
    if (from >= 0) yield bytes.subarray(from, at)
    from = bytes.indexOf(NEWLINE, at) + 1
    if (from === 0) return
  }
  yield bytes.subarray(from)
}

function next(bytes: Buffer, after: number): number {
  for (let at = bytes.indexOf(BEGIN, after); at >= 0; at = bytes.indexOf(BEGIN, at + 1)) {
    const isBehindEmpty =
      bytes[at - 1] === NEWLINE && (bytes[at - 2] === NEWLINE || bytes[at - 3] === NEWLINE)
    if (isBehindEmpty) return at
  }
  return -1
}
