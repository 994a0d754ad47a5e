import { pause } from '#src/core/clock.ts'
import { makeBook } from '../support/office.ts'
import type { Stand } from './stand.ts'

/** What was sent to be read and indexed, and has been acknowledged. */
export interface Work {
  files: string[]
  documents: string[]
  /** Answers that nothing of this explains. */
  strange: string[]
  /** Sends no more; resolves when everything that was begun has its answer. */
  stop(): Promise<void>
}

const SENDERS = 3
const PAUSE = 20
/** What a server says that is just ending, or has too much to do. */
const PASSING = [429, 500, 503]

const BOOK = makeBook({ sheets: { S: '<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>' } })

/** Each is another, or its bytes would be in the base already. */
function bytesOf(number: number): Uint8Array<ArrayBuffer> {
  if (number % 7 === 3) return new Uint8Array(Buffer.from(`%PDF-1.7\n${number} is nothing of one`))
  // What follows the end of a zip as its comment would be another book: one is enough.
  if (number === 1) return new Uint8Array(BOOK)
  return new Uint8Array(Buffer.from(`# Part ${number}\n\n${`Text ${number} of the heron. `.repeat(200)}`))
}

/** Uploads files and adds documents, each until it is answered, at whichever server is there. */
export function startWork({ key }: Pick<Stand, 'key'>, urls: string[], baseId: string): Work {
  const work: Omit<Work, 'stop'> = { files: [], documents: [], strange: [] }
  let [isOver, made] = [false, 0]

  /** Until it is answered: the same key makes one thing of all tries. @returns its id */
  async function insist(
    path: string,
    name: string,
    body: string | Uint8Array<ArrayBuffer>,
    type: string,
  ): Promise<string> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': name }
    for (let tries = 0; ; tries += 1) {
      const url = urls[tries % urls.length] ?? ''
      const answer = await fetch(url + path, { method: 'POST', headers, body }).catch(() => undefined)
      const text = (await answer?.text().catch(() => undefined)) ?? ''
      if (answer?.status === 201 && text !== '') return JSON.parse(text).id
      // A first try may still be under way where its server was killed: its key stands for it.
      const isPassing =
        answer === undefined || PASSING.includes(answer.status) || text.includes('"DUPLICATE"')
      if (!isPassing && text !== '') {
        work.strange.push(`${answer.status} ${text.slice(0, 300)}`)
        return ''
      }
      await pause(PAUSE)
    }
  }

  async function send(): Promise<void> {
    while (!isOver) {
      made += 1
      const number = made
      const file = await insist(
        `/v1/files?name=${number}.txt`,
        `file-${number}`,
        bytesOf(number),
        'application/octet-stream',
      )
      if (file === '') return
      work.files.push(file)
      const body = number % 3 === 0 ? { text: `Only ${number} of the egret.` } : { fileId: file }
      const path = `/v1/knowledge-bases/${baseId}/documents`
      const document = await insist(path, `document-${number}`, JSON.stringify(body), 'application/json')
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
