import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushSteps } from '../core/flush-steps.ts'
import {
  type BlobStorage,
  BlobTooLargeError,
  type ByteRange,
  MissingBlobError,
  type WrittenBlob,
} from './blob-storage.ts'

/** Bytes of one read. */
const PIECE = 256 * 1024

/** Storage in a folder, on this machine or a shared disk. */
export function folderStorage(folder: string): BlobStorage {
  // Names are ids with random last characters, so they spread evenly over folders.
  const pathOf = (name: string) => join(folder, name.slice(-2), name)
  const partOf = (name: string) => `${pathOf(name)}.part`

  return {
    place: folder,

    async write(name, source, most) {
      const [path, part] = [pathOf(name), partOf(name)]
      await makeFolder(dirname(path))
      try {
        const written = await writePart(part, source, most)
        await rename(part, path)
        await flush(dirname(path))
        return written
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },

    async read(name, range) {
      const handle = await open(pathOf(name)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new MissingBlobError(name, { cause: error }) : error
      })
      return piecesOf(handle, range)
    },

    async remove(name) {
      await rm(partOf(name), { force: true })
      await rm(pathOf(name), { force: true })
    },

    close: async () => {},
  }
}

/** Writes all bytes to a new file, flushed to disk in steps and at the end. */
export async function writePart(
  path: string,
  source: AsyncIterable<Uint8Array>,
  most: number,
): Promise<WrittenBlob> {
  const handle = await open(path, 'w', 0o600)
  try {
    const hash = createHash('sha256')
    const flushStep = flushSteps(handle)
    let size = 0
    for await (const piece of source) {
      size += piece.length
      if (size > most) throw new BlobTooLargeError(`there are more than ${most} bytes`)
      hash.update(piece)
      await handle.writeFile(piece)
      await flushStep(piece.length)
    }
    await handle.sync()
    return { size, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** The bytes of an open file, which is closed at the end, or when the reader stops. */
export async function* piecesOf(handle: FileHandle, range?: ByteRange): AsyncGenerator<Uint8Array> {
  try {
    let at = range?.first ?? 0
    const end = range === undefined ? Number.POSITIVE_INFINITY : range.last + 1
    while (at < end) {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE, end - at))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) await flush(dirname(made))
}

/** Flushes the names in a folder to disk, where the system supports it. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  try {
    await handle?.sync()
  } catch {
    // Windows cannot flush a folder.
  } finally {
    await handle?.close()
  }
}
