import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND } from '#src/core/clock.ts'
import type { Answer, Call } from '../support/browser.ts'
import { bookEntries } from '../support/office.ts'
import { administrator, apiKey, type Person } from '../support/people.ts'
import type { Postern } from '../support/postern.ts'
import { until } from '../support/waits.ts'
import { makeZip } from '../support/zip.ts'

/** Long enough for a machine that is busy: what is waited for comes sooner. */
export const PATIENCE = 60 * SECOND

/** An organization that keeps files. */
export interface Keeper {
  postern: Postern
  admin: Person
  key: string
  /** Uploads bytes as they are. */
  upload(bytes: Uint8Array | string, name?: string, call?: Call): Promise<Answer>
  get(path: string, call?: Call): Promise<Answer>
  /** A file once its processing has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  ended(id: string): Promise<any>
}

export async function keeper(postern: Postern): Promise<Keeper> {
  const admin = await administrator(postern)
  const key = await apiKey(postern, admin)
  const client = postern.client()
  const get = (path: string, call: Call = {}) => client.get(path, { token: key, ...call })
  return {
    postern,
    admin,
    key,
    get,
    upload: (bytes, name = 'note.txt', { headers, ...call }: Call = {}) =>
      client.post(`/v1/files?name=${encodeURIComponent(name)}`, bytes, {
        token: key,
        headers: { 'content-type': 'text/plain', ...headers },
        ...call,
      }),
    ended: (id) =>
      until(
        async () => {
          const answer = await get(`/v1/files/${id}`)
          assert.equal(answer.status, 200, answer.text)
          return answer.body
        },
        ({ status }) => status !== 'processing',
        { what: `the end of ${id}`, patience: PATIENCE },
      ),
  }
}

/** What there is of bytes: rows by their state, and files in the folder that are not whole. */
export async function bytesLeft({ app, env }: Postern) {
  const rows = await app.database.db
    .selectFrom('blob')
    .select('state')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('state')
    .execute()
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0)
  const folder = join(env.DATA_DIR ?? '', 'blobs')
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  return {
    pending: of('pending'),
    kept: of('kept'),
    orphaned: of('orphaned'),
    parts: files.filter((name) => name.endsWith('.part')).length,
    /** All of them. */
    files: files.filter((name) => name.includes('blb_')).length,
  }
}

/**
 * A book of so many cells without a value that reading it takes a second, and with more attributes to each it takes longer;
 * there are as few cells and bytes as a book may have.
 * @param more fewer rows than that, and the text of a cell at its end
 */
export function slowBook(attributes = 10, { rows = 900, text = '' } = {}): Buffer {
  const key = JSON.stringify([attributes, rows, text])
  const book = slowBooks.get(key) ?? makeSlowBook(attributes, rows, text)
  slowBooks.set(key, book)
  return book
}

/** Each is packed once, which takes half a second of the processor. */
const slowBooks = new Map<string, Buffer>()

function makeSlowBook(attributes: number, rows: number, text: string): Buffer {
  const names = Array.from({ length: attributes }, (_, index) => ` ${String.fromCharCode(97 + index)}="0"`)
  const row = `<row>${`<c${names.join('')}></c>`.repeat(2_000)}</row>`
  const last = `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`
  const sheet = `<sheetData>${row.repeat(rows)}${text && last}</sheetData>`
  return makeZip(bookEntries({ sheets: { Sheet1: sheet } }))
}
