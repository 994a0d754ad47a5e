import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'

/** A zip with a checked directory. Its content is counted while it is read, because declared sizes cannot be trusted. */
export interface Zip {
  /** In the order of the directory. */
  names: string[]
  has(name: string): boolean
  /** Reads an entry. @throws Refusal, when it differs from the directory, or is too large */
  content(name: string): AsyncGenerator<Buffer>
}

const STORED = 0
const DEFLATED = 8
const LOCAL_HEADER = 30
const CHUNK = 128 * 1024

/** @throws Refusal */
export async function openZip(bytes: Buffer): Promise<Zip> {
  const file = await fromBufferPromise(bytes, { strictFileNames: false })
  if (file.entryCount > LIMITS.entries) throw new Refusal('too_large', 'more than 10,000 entries')
  const entries = await readDirectory(file)
  refuseOverlaps([...entries.values()], bytes.length)
  let left: number = LIMITS.inflated

  async function* content(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(keyOf(name))
    if (entry === undefined) throw new Refusal('corrupt', `it lacks ${name}`)
    if (entry.isEncrypted()) throw new Refusal('encrypted', `${name} is encrypted`)
    const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true })
    const raw = bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize)
    let size = 0
    let sum = 0
    for await (const chunk of inflated(raw, entry.compressionMethod)) {
      size += chunk.length
      left -= chunk.length
      if (size > entry.uncompressedSize) throw new Refusal('corrupt', `${name} is larger than it says`)
      if (left < 0) throw new Refusal('too_large', 'more than 256 MiB inflated')
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (size !== entry.uncompressedSize) throw new Refusal('corrupt', `${name} is smaller than it says`)
    if (sum !== entry.crc32) throw new Refusal('corrupt', `the checksum of ${name} is wrong`)
  }

  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    has: (name) => entries.has(keyOf(name)),
    content,
  }
}

/** Names of entries are case-insensitive. */
function keyOf(name: string): string {
  return name.toLowerCase()
}

async function readDirectory(file: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of file.eachEntry()) {
    const key = keyOf(entry.fileName)
    if (entries.has(key)) throw new Refusal('corrupt', 'two entries have one name')
    entries.set(key, entry)
  }
  return entries
}

/** Refuses overlapping entries, by which a small file can expand to a large one. */
function refuseOverlaps(entries: Entry[], end: number): void {
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  inOrder.forEach((entry, index) => {
    const next = inOrder[index + 1]?.relativeOffsetOfLocalHeader ?? end
    const least = LOCAL_HEADER + entry.fileNameLength + entry.compressedSize
    if (entry.relativeOffsetOfLocalHeader + least > next) throw new Refusal('corrupt', 'entries overlap')
  })
}

/** Decompresses in the thread pool, while earlier chunks are parsed. */
async function* inflated(raw: Buffer, method: number): AsyncGenerator<Buffer> {
  if (method === STORED) {
    for (let from = 0; from < raw.length; from += CHUNK) yield raw.subarray(from, from + CHUNK)
    return
  }
  if (method !== DEFLATED)
    throw new Refusal('unsupported', `its compression method ${method} is not supported`)
  const inflate = createInflateRaw({ chunkSize: CHUNK })
  inflate.end(raw)
  yield* inflate
}
