import type { Kind } from '../common/messages.ts'
import { Refusal } from '../common/refusal.ts'

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** What the streams are called in which the programs of old keep a book. */
const BOOKS = ['Workbook', 'Book'].map(entryName)
/** What today's programs wrap a document in that a password locks. */
const LOCKED = entryName('EncryptedPackage')

/** Whether it is a container of the programs of before 2007. */
export function isOldContainer(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** What is in it: nothing that is read here. @throws Refusal, for what a password locks */
export function kindOfOldContainer(bytes: Buffer): Kind {
  if (bytes.includes(LOCKED)) throw new Refusal('encrypted', 'it is locked by a password')
  return BOOKS.some((name) => bytes.includes(name)) ? 'spreadsheet' : 'unknown'
}

/** A name as the directory has it: in 64 bytes, which begin a row of it. */
function entryName(name: string): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.write(name, 'utf16le')
  return bytes
}
