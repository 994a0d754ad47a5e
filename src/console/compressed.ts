import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The best there is: it is done once, beside the event loop, for files of some kilobytes. */
const QUALITY = constants.BROTLI_MAX_QUALITY

/** How an answer may be packed, the smallest first. */
const CODINGS: Record<string, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => zip(content, { level: 9 }),
}

/** Packs each file when it is first asked for, beside the event loop, and keeps it. */
export function createCompressed(files: ReadonlyMap<string, Buffer>) {
  const kept = new Map<string, Promise<Buffer>>()
  /** A file as a browser that accepts those codings gets it; undefined where there is none of that name. */
  return async (
    name: string,
    accepted: string,
  ): Promise<{ content: Buffer; coding: string | undefined } | undefined> => {
    const content = files.get(name)
    if (content === undefined) return undefined
    const coding = Object.keys(CODINGS).find((one) => accepts(accepted, one))
    const pack = coding === undefined ? undefined : CODINGS[coding]
    if (coding === undefined || pack === undefined) return { content, coding: undefined }
    const key = `${coding} ${name}`
    const packed = kept.get(key) ?? pack(content)
    kept.set(key, packed)
    return { content: await packed, coding }
  }
}

/** RFC 9110, 12.5.3: named, and not with a weight of nothing. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
