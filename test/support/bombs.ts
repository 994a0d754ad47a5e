import { constants, deflateRawSync } from 'node:zlib'

/** What ends a stream of deflate: a block that is the last, and empty. */
const LAST_BLOCK = Buffer.from([3, 0])

/**
 * A deflate stream of `head`, then `part` many times, then `tail`. It is made quickly, because a part is compressed once
 * and refers to nothing before it.
 */
export function packedRepeats(head: string, part: string | Buffer, times: number, tail = ''): Buffer {
  const pack = (data: string | Buffer) => deflateRawSync(data, { finishFlush: constants.Z_FULL_FLUSH })
  const packed = pack(part)
  return Buffer.concat([pack(head), ...Array.from({ length: times }, () => packed), pack(tail), LAST_BLOCK])
}
