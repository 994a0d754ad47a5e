import type { Kind } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** The stream names of a workbook in the format before Office 2007. */
const BOOKS = ['Workbook', 'Book'].map(entryName)
/** The stream name of a document that a password protects. */
const LOCKED = entryName('EncryptedPackage')

/** Whether bytes are a compound file, the container of Office before 2007. */
export function isOldContainer(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** The kind of a compound file; none of them is readable. @throws Refusal encrypted, for a document with a password */
export function kindOfOldContainer(bytes: Buffer): Kind {
  if (bytes.includes(LOCKED)) throw new Refusal('encrypted', 'it is locked by a password')
  return BOOKS.some((name) => bytes.includes(name)) ? 'spreadsheet' : 'unknown'
}

/** A stream name in the form of the directory: UTF-16 in 64 bytes. */
function entryName(name: string): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.write(name, 'utf16le')
  return bytes
}
