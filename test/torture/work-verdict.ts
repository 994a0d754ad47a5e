import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Stand } from './stand.ts'
import type { Verdict } from './verdict.ts'
import type { Work } from './work.ts'

interface Ended {
  id: string
  status: string
  error_code: string | null
  job_id: string | null
}

interface FileRow extends Ended {
  blob_id: string
  text_blob_id: string | null
}

interface DocumentRow extends Ended {
  chunks: number
  staged_chunks: number
  found: number
}

const count = (what: string) => `select cast(count(*) as integer) as count from ${what}`

/** Compares the acknowledged work with its results, once all work has ended. */
export async function judgeWork({ store, env }: Stand, work: Work): Promise<Verdict> {
  const files = await store.query<FileRow>(
    'select id, status, error_code, job_id, blob_id, text_blob_id from file',
  )
  const documents = await store.query<DocumentRow>(
    `select id, status, error_code, job_id, chunks, staged_chunks,
      (select count(*) from chunk where chunk.document_id = document.id) as found from document`,
  )
  const told = await store.query<{ body: Uint8Array }>('select body from event')
  const texts = told.map(({ body }) => Buffer.from(body).toString())
  const paid = await store.query<{ action: string; reference: string }>(
    "select action, reference from ledger_entry where kind = 'debit'",
  )
  const [held] = await store.query<{ count: number }>(count("reservation where status = 'held'"))
  const failures: string[] = [...work.strange]

  for (const [what, ids, rows] of [
    ['file', work.files, files],
    ['document', work.documents, documents],
  ] as const) {
    const known = new Map<string, Ended>(rows.map((row) => [row.id, row]))
    for (const id of ids)
      if (!known.has(id)) failures.push(`${what} ${id} was acknowledged, and is not there`)
    const [type, action] =
      what === 'file' ? ['file.processed', 'file.process'] : ['document.indexed', 'document.index']
    for (const { id, status, error_code, job_id } of known.values()) {
      const ends = texts.filter((text) => text.includes(`"${what}Id":"${id}"`) && text.includes(`"${type}"`))
      if (ends.length !== 1) failures.push(`${what} ${id} was told of ${ends.length} times`)
      if (!['processed', 'indexed', 'failed'].includes(status)) failures.push(`${what} ${id} is ${status}`)
      const costs = what === 'file' ? error_code !== 'PROCESSING_FAILED' : status === 'indexed'
      const times = paid.filter((one) => one.action === action && one.reference === id).length
      if (times !== Number(costs))
        failures.push(`${what} ${id} (${status}, ${error_code}, ${job_id}) was paid ${times} times`)
    }
  }
  if ((held?.count ?? 0) > 0) failures.push(`${held?.count} amounts of credits are still set aside`)
  for (const { id, chunks, staged_chunks, found } of documents)
    if (Number(found) !== Number(chunks) || Number(staged_chunks) !== 0)
      failures.push(`document ${id} has ${chunks} chunks, ${staged_chunks} under way, and ${found} rows`)
  failures.push(...(await judgeBlobs(store, files, String(env.DATA_DIR))))
  return { failures, figures: { 'files and documents': files.length + documents.length } }
}

/** No file is without its bytes, and no bytes are without a row that the sweep finds. */
async function judgeBlobs(store: Stand['store'], files: FileRow[], dataDir: string): Promise<string[]> {
  const rows = await store.query<{ id: string; state: string }>('select id, state from blob')
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const folder = join(dataDir, 'blobs')
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name.replace(/\.part$/, ''))
  const used = files.flatMap(({ blob_id, text_blob_id }) => [
    blob_id,
    ...(text_blob_id ? [text_blob_id] : []),
  ])
  return [
    ...used
      .filter((id) => states.get(id) !== 'kept' || !existsSync(join(folder, id.slice(-2), id)))
      .map((id) => `blob ${id} of a file is ${states.get(id)}, or not on the disk`),
    ...names.filter((name) => !states.has(name)).map((name) => `there are bytes ${name} without a row`),
    ...rows
      .filter(({ id, state }) => state === 'kept' && !used.includes(id))
      .map(({ id }) => `blob ${id} is kept for nobody`),
  ]
}
