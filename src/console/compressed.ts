import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { MINUTE, type Millis, stopwatch } from '../core/clock.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** How well brotli packs: for whoever asks first, in some milliseconds; and, for all who come later, as well as it can. */
const [QUICK, BEST] = [5, constants.BROTLI_MAX_QUALITY]

/** How an answer may be packed, the smallest first. */
const CODINGS: Record<string, (content: Buffer, quality: number) => Promise<Buffer>> = {
  br: (content, quality) =>
    brotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => zip(content, { level: 9 }),
}

/** A file as a browser gets it. */
export interface Packed {
  content: Buffer
  coding: string | undefined
}

/** What has been packed, how long ago, and whether it is as small as it can be. */
interface Kept {
  packed: Promise<Buffer>
  age: () => Millis
  isBest: boolean
}

/**
 * Packs each file when it is first asked for, beside the event loop, and keeps it. What is asked for again a while later is packed
 * once more, as well as it can be: one after another, so that nothing else waits for it, and nobody waits for that.
 */
export function createCompressed(files: ReadonlyMap<string, Buffer>, settled: Millis = MINUTE) {
  const kept = new Map<string, Kept>()
  let line: Promise<unknown> = Promise.resolve()
  const improve = (one: Kept, pack: () => Promise<Buffer>) => {
    one.isBest = true
    line = line.then(pack).then(
      (content) => {
        one.packed = Promise.resolve(content)
      },
      () => {},
    )
  }
  /** A file as a browser that accepts those codings gets it; undefined where there is none of that name. */
  return async (name: string, accepted: string): Promise<Packed | undefined> => {
    const content = files.get(name)
    if (content === undefined) return undefined
    const coding = Object.keys(CODINGS).find((one) => accepts(accepted, one))
    const pack = coding === undefined ? undefined : CODINGS[coding]
    if (coding === undefined || pack === undefined) return { content, coding: undefined }
    const key = `${coding} ${name}`
    const one = kept.get(key) ?? { packed: pack(content, QUICK), age: stopwatch(), isBest: coding !== 'br' }
    kept.set(key, one)
    if (!one.isBest && one.age() >= settled) improve(one, () => pack(content, BEST))
    return { content: await one.packed, coding }
  }
}

/** RFC 9110, 12.5.3: named, and not with a weight of nothing. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
