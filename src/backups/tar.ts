import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { flushSteps } from '../core/flush-steps.ts'

/** The block size of tar. */
const BLOCK = 512
/** Bytes per read. */
const PIECE = 256 * 1024
/** The entry with the digests of all others, in the format of `sha256sum -c`. */
const SUMS = 'SHA256SUMS'
const LONGEST_NAME = 100
const MAGIC = 'ustar\u000000'

/** The file is no backup, is truncated, or was changed. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError'
}

export interface TarWriter {
  /** Adds an entry. @returns its size in bytes */
  add(name: string, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>
  /** Writes the digests and the end. @returns the size of the file, which is flushed to the disk */
  end(): Promise<number>
  /** Closes the file, ended or not. */
  close(): Promise<void>
}

/** Makes a file that must be new, for this user alone whatever the umask is. A link by its name is not followed. */
export async function openPrivate(file: string): Promise<FileHandle> {
  const handle = await open(file, 'wx+', 0o600)
  try {
    await handle.chmod(0o600)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Writes a tar (POSIX ustar) to a new file, for this user alone. The digests wait in a file beside it. */
export async function openTarWriter(file: string): Promise<TarWriter> {
  const sumsFile = `${file}.sums`
  const handle = await openPrivate(file)
  const sums = await openPrivate(sumsFile).catch(async (error: unknown) => {
    await handle.close()
    throw error
  })
  const flushStep = flushSteps(handle)
  let at = 0

  async function write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
      done += bytesWritten
    }
    await flushStep(bytes.length)
  }

  async function addEntry(
    name: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<{ size: number; sha256: string }> {
    const hash = createHash('sha256')
    const head = at
    let size = 0
    for await (const piece of source) {
      hash.update(piece)
      await write(piece, head + BLOCK + size)
      size += piece.length
    }
    const padding = -size & (BLOCK - 1)
    await write(Buffer.alloc(padding), head + BLOCK + size)
    // The size of the entry is known only now.
    await write(headOf(name, size), head)
    at = head + BLOCK + size + padding
    return { size, sha256: hash.digest('hex') }
  }

  return {
    async add(name, source) {
      const { size, sha256 } = await addEntry(name, source)
      await sums.appendFile(sumLine(name, sha256))
      return size
    },
    async end() {
      await addEntry(SUMS, bytesOf(sums))
      await write(Buffer.alloc(2 * BLOCK), at)
      await handle.sync()
      return at + 2 * BLOCK
    },
    async close() {
      await handle.close()
      await sums.close()
      await rm(sumsFile, { force: true })
    },
  }
}

const sumLine = (name: string, sha256: string) => `${sha256}  ${name}\n`

async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const buffer = Buffer.allocUnsafe(PIECE)
    const { bytesRead } = await handle.read(buffer, 0, PIECE, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** The head of a regular file without a time, so that equal contents give equal bytes. */
function headOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new Error(`the name ${name} is too long for a tar`)
  const head = Buffer.alloc(BLOCK)
  head.write(name, 0)
  head.write('0000600\0', 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  writeSize(head, size)
  head.write('00000000000\0', 136)
  head.write('0', 156)
  head.write(MAGIC, 257)
  head.write(`${checksumOf(head).toString(8).padStart(6, '0')}\0 `, 148)
  return head
}

/** Writes octal digits; from 8 GiB a binary number of 12 bytes, as GNU tar does. */
function writeSize(head: Buffer, size: number): void {
  if (size < 8 ** 11) head.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else {
    head.writeUInt8(0x80, 124)
    head.writeBigUInt64BE(BigInt(size), 128)
  }
}

/** The sum of a head's bytes, in which the bytes of the checksum count as spaces. */
function checksumOf(head: Uint8Array): number {
  return head.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
}

/** An entry; its bytes must be read to the end before the next entry. */
export interface TarEntry {
  name: string
  size: number
  bytes: AsyncIterable<Buffer>
}

/**
 * Reads a tar as `openTarWriter` writes it, and refuses any other: regular files with names that `isKnown` accepts, each once and in its
 * order.
 * @param source the file's bytes
 * @throws DamagedError, at the end also where a digest differs
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  isKnown: (name: string) => boolean,
): AsyncGenerator<TarEntry> {
  const take = takerOf(source)
  const digests = createHash('sha256')
  for (;;) {
    const { name, size } = readHead(await take.exactly(BLOCK))
    const isLast = name === SUMS
    if (!isLast && !isKnown(name)) throw new DamagedError('it has an entry of a name that no backup has')
    const hash = createHash('sha256')
    let left = size
    async function* bytes(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const piece = await take.some(Math.min(left, PIECE))
        left -= piece.length
        hash.update(piece)
        yield piece
      }
    }
    if (!isLast) yield { name, size, bytes: bytes() }
    else for await (const _ of bytes());
    if (left > 0) throw new Error(`the entry ${name} was not read to its end`)
    await take.exactly(-size & (BLOCK - 1))
    if (!isLast) {
      digests.update(sumLine(name, hash.digest('hex')))
      continue
    }
    if (digests.digest('hex') !== hash.digest('hex')) throw new DamagedError('its digests differ')
    const end = await take.exactly(2 * BLOCK)
    if (end.some((byte) => byte !== 0)) throw new DamagedError('it does not end as it should')
    return
  }
}

/** @throws DamagedError */
function readHead(head: Buffer): { name: string; size: number } {
  const sum = Number.parseInt(head.toString('latin1', 148, 154), 8)
  if (sum !== checksumOf(head) || head.toString('latin1', 257, 265) !== MAGIC || head[156] !== 0x30)
    throw new DamagedError('it is no backup, or a part of it was changed')
  const end = head.indexOf(0)
  const name = head.toString('latin1', 0, end === -1 ? LONGEST_NAME : Math.min(end, LONGEST_NAME))
  const size = head[124] === 0x80 ? Number(head.readBigUInt64BE(128)) : readOctal(head)
  if (!Number.isSafeInteger(size)) throw new DamagedError('the size of an entry cannot be')
  return { name, size }
}

function readOctal(head: Buffer): number {
  const digits = head.toString('latin1', 124, 135)
  return /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
}

/** Reads exact numbers of bytes from a stream. */
function takerOf(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  let buffer: Buffer = Buffer.alloc(0)

  /** Between one and `most` bytes. */
  async function some(most: number): Promise<Buffer> {
    while (buffer.length === 0) {
      const { value, done } = await iterator.next()
      if (done === true) throw new DamagedError('it was cut')
      buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const piece = buffer.subarray(0, most)
    buffer = buffer.subarray(piece.length)
    return piece
  }

  async function exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let left = count; left > 0; ) {
      const piece = await some(left)
      pieces.push(piece)
      left -= piece.length
    }
    return Buffer.concat(pieces)
  }

  return { some, exactly }
}
