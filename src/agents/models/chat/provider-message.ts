import { isObject } from '../../../config/json-file.ts'

/** Longest words of a provider that are kept, in characters. */
const LONGEST = 1_000
/** Of what they are taken from, so much is read. */
const LONGEST_READ = 16 * 1024

/** What looks like a key, wherever it is quoted. */
const KEY = /\b(?:sk|pk|key|api|token|bearer)[-_ ][\w.*-]{8,200}/gi
/** Longer than words are, and with a digit: drawn by chance. */
const DRAWN = /\b(?=[A-Za-z_]{0,64}\d)[\w-]{32,512}\b/g

/**
 * What a provider says of a failure, fit for a reader of the run: one line, bounded, without control characters, and
 * without what may be a key.
 * @param secrets what must not stand in it whatever it looks like
 * @returns undefined where it says nothing
 */
export function cleanMessage(text: string, secrets: (string | undefined)[] = []): string | undefined {
  let line = text.slice(0, LONGEST_READ).toWellFormed()
  for (const secret of secrets) if (secret) line = line.replaceAll(secret, '[redacted]')
  line = line
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what steers terminals is removed as a whole.
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(KEY, '[redacted]')
    .replace(DRAWN, '[redacted]')
    .replace(/ {2,}/g, ' ')
    .trim()
  return line === '' ? undefined : line.slice(0, LONGEST).toWellFormed()
}

/** An error object: its words, and its `code` or else its `type`. */
export interface ProviderError {
  code: string
  message: string | undefined
}

/** What stands where an error does in an answer; undefined where nothing does. */
export function readError(value: unknown): ProviderError | undefined {
  if (value === undefined || value === null || value === false) return undefined
  if (!isObject(value)) return { code: '', message: typeof value === 'string' ? value : undefined }
  const { code, type, message, detail } = value
  const named = [code, type].find((one) => typeof one === 'string' || typeof one === 'number')
  const words = [message, detail].find((one) => typeof one === 'string')
  return { code: String(named ?? ''), message: words as string | undefined }
}

/** The error in the body of an answer that is none: an error object, or what stands there in another way. */
export function readErrorBody(body: string): ProviderError {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    // A page for people says nothing to the reader of a run.
    const isPage = /^\s{0,100}</.test(body)
    return { code: '', message: isPage ? undefined : body }
  }
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isObject(first)) return { code: '', message: undefined }
  return readError(first.error) ?? readError(first) ?? { code: '', message: undefined }
}
