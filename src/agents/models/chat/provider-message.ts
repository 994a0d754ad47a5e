import { isObject } from '../../../config/json-file.ts'

/** Longest provider message that is kept, in characters. */
const LONGEST = 1_000
/** Characters of the source that are read. */
const LONGEST_READ = 16 * 1024

/** Texts that look like keys. */
const KEY = /\b(?:sk|pk|key|api|token|bearer)[-_ ][\w.*-]{8,200}/gi
/** Longer than words, and with a digit: probably a random secret. */
const DRAWN = /\b(?=[A-Za-z_]{0,64}\d)[\w-]{32,512}\b/g

/**
 * A provider's message about a failure, prepared for readers of the run: one line, bounded, without control characters,
 * and without anything that may be a key.
 * @param secrets texts that are removed wherever they occur
 * @returns undefined where nothing is left
 */
export function cleanMessage(text: string, secrets: (string | undefined)[] = []): string | undefined {
  let line = text.slice(0, LONGEST_READ).toWellFormed()
  for (const secret of secrets) if (secret) line = line.replaceAll(secret, '[redacted]')
  line = line
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes terminal escape sequences.
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(KEY, '[redacted]')
    .replace(DRAWN, '[redacted]')
    .replace(/ {2,}/g, ' ')
    .trim()
  return line === '' ? undefined : line.slice(0, LONGEST).toWellFormed()
}

/** An error object: its message, and its `code` or else its `type`. */
export interface ProviderError {
  code: string
  message: string | undefined
}

/** Reads the error member of an answer; undefined where there is none. */
export function readError(value: unknown): ProviderError | undefined {
  if (value === undefined || value === null || value === false) return undefined
  if (!isObject(value)) return { code: '', message: typeof value === 'string' ? value : undefined }
  const { code, type, message, detail } = value
  const named = [code, type].find((one) => typeof one === 'string' || typeof one === 'number')
  const words = [message, detail].find((one) => typeof one === 'string')
  return { code: String(named ?? ''), message: words as string | undefined }
}

/** Reads the error in the body of an error answer, as an error object or in another form. */
export function readErrorBody(body: string): ProviderError {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    // An HTML page does not help the reader of a run.
    const isPage = /^\s{0,100}</.test(body)
    return { code: '', message: isPage ? undefined : body }
  }
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isObject(first)) return { code: '', message: undefined }
  return readError(first.error) ?? readError(first) ?? { code: '', message: undefined }
}
