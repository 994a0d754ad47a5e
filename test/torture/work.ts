import { pause } from '#src/core/clock.ts'
import { makeBook } from '../support/office.ts'
import { createInsisting } from './insisting.ts'
import type { Stand } from './stand.ts'

/** The acknowledged files and documents. */
export interface Work {
  files: string[]
  documents: string[]
  /** Unexpected answers. */
  strange: string[]
  /** Stops sending. Resolves when every request has its answer. */
  stop(): Promise<void>
}

const SENDERS = 3
const PAUSE = 20

const BOOK = makeBook({ sheets: { S: '<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>' } })

/** Each is another, or its bytes would be in the base already. */
function bytesOf(number: number): Uint8Array<ArrayBuffer> {
  if (number % 7 === 3) return new Uint8Array(Buffer.from(`%PDF-1.7\n${number} is nothing of one`))
  // A comment behind the zip would make another book of it; one book is enough.
  if (number === 1) return new Uint8Array(BOOK)
  return new Uint8Array(Buffer.from(`# Part ${number}\n\n${`Text ${number} of the heron. `.repeat(200)}`))
}

/** Uploads files and adds documents, each until it is answered, at whichever server is there. */
export function startWork({ key }: Pick<Stand, 'key'>, urls: string[], baseId: string): Work {
  const work: Omit<Work, 'stop'> = { files: [], documents: [], strange: [] }
  const insist = createInsisting(key, urls, work.strange)
  let [isOver, made] = [false, 0]

  async function send(): Promise<void> {
    while (!isOver) {
      made += 1
      const number = made
      const upload = `/v1/files?name=${number}.txt`
      const file = await insist(upload, `file-${number}`, bytesOf(number))
      if (file === '') return
      work.files.push(file)
      const body = number % 3 === 0 ? { text: `Only ${number} of the egret.` } : { fileId: file }
      const path = `/v1/knowledge-bases/${baseId}/documents`
      const document = await insist(path, `document-${number}`, body)
      if (document === '') return
      work.documents.push(document)
      await pause(PAUSE)
    }
  }

  const sending = Promise.all(Array.from({ length: SENDERS }, send))
  return {
    ...work,
    async stop() {
      isOver = true
      await sending
    },
  }
}
