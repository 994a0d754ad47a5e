import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip made by hand, which may lie about itself. */
export interface ZipEntry {
  name: string
  data: string | Buffer
  /** Without packing. */
  isStored?: boolean
  /** Says that it is encrypted. */
  isEncrypted?: boolean
  /** The size that it declares. */
  saysSize?: number
  saysCrc?: number
  /** Compressed data that is written unchanged. */
  packed?: Buffer
  /** The offset that the directory declares. */
  saysOffset?: number
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const UTF8 = 0x800

/** Puts a zip together, byte by byte. */
export function makeZip(entries: ZipEntry[], comment = Buffer.alloc(0)): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const data = Buffer.from(entry.data)
    const name = Buffer.from(entry.name)
    const packed = entry.packed ?? (entry.isStored ? data : deflateRawSync(data, { level: 1 }))
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(UTF8 | (entry.isEncrypted ? 1 : 0), 2)
    common.writeUInt16LE(entry.isStored ? 0 : 8, 4)
    common.writeUInt32LE(entry.saysCrc ?? crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.saysSize ?? data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([u32(LOCAL), common, name, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(entry.saysOffset ?? offset, 10)
    directory.push(u32(CENTRAL), Buffer.from([20, 0]), common, tail, name)
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 4)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  end.writeUInt16LE(comment.length, 16)
  return Buffer.concat([...parts, central, u32(END), end, comment])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
