import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { MINUTE, type Millis, stopwatch } from '../core/clock.ts'
import { createSemaphore } from '../core/fair-limiter.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Levels of brotli: a fast one for the first request, and the best one for later requests. */
const [QUICK, BEST] = [5, constants.BROTLI_MAX_QUALITY]

/** A file that is requested this long after its first request gets the best compression. */
const SETTLED: Millis = MINUTE

/** Content codings, the smallest first. */
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

/** A file in one coding. */
export interface Packed {
  content: Buffer
  coding: string | undefined
}

/** A compressed file, its age, and whether it has the best compression. */
interface Kept {
  packed: Promise<Buffer>
  age: () => Millis
  isBest: boolean
}

/**
 * Compresses each file at its first request, outside of the event loop, and keeps the result. A file that is requested again after a
 * while gets the best compression, one file at a time and in the background.
 */
export function createCompressed(files: ReadonlyMap<string, Buffer>) {
  const kept = new Map<string, Kept>()
  const background = createSemaphore(1)
  const improve = (one: Kept, pack: () => Promise<Buffer>) => {
    one.isBest = true
    void background.use(undefined, pack).then(
      (content) => {
        one.packed = Promise.resolve(content)
      },
      () => {},
    )
  }
  /** A file in the best coding that the browser accepts; undefined for an unknown name. */
  return async (name: string, accepted: string): Promise<Packed | undefined> => {
    const content = files.get(name)
    if (content === undefined) return undefined
    const coding = Object.keys(CODINGS).find((one) => accepts(accepted, one))
    const pack = coding === undefined ? undefined : CODINGS[coding]
    if (coding === undefined || pack === undefined) return { content, coding: undefined }
    const key = `${coding} ${name}`
    const one = kept.get(key) ?? { packed: pack(content, QUICK), age: stopwatch(), isBest: coding !== 'br' }
    kept.set(key, one)
    if (!one.isBest && one.age() >= SETTLED) improve(one, () => pack(content, BEST))
    return { content: await one.packed, coding }
  }
}

/** RFC 9110, 12.5.3: whether a coding is named with a weight above 0. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
