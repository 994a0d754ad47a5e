import type { StoredFile } from '#sdk/postern.ts'

/** Why there is no text, and what to do. */
const REASONS: Record<string, string> = {
  encrypted: 'A password locks it: save it without one',
  no_text: 'There is no text in it, as in a scan: recognize its text with a program, and upload the result',
  unsupported: 'Such files are not read: save it as .docx, .xlsx, .pptx or PDF',
  too_large: 'It holds more than may be read of one file: divide it into several',
  corrupt: 'It is damaged, or not what its name says: save it again with its own program',
  timeout: 'Reading it took too long: divide it into several files',
  encoding: 'It is in no encoding that can be told: save it as UTF-8',
  crashed: 'What reads it crashed: read it again',
  crashed_repeatedly: 'What reads it crashed again and again: tell the operator',
  cannot_start: 'What reads it could not be started: tell the operator',
  malformed_output: 'What reads it said what it may not: it may mean harm, and is better not read again',
  machine_busy: 'The machine had no time for it: read it again later',
  aborted: 'Reading it was ended from outside: read it again',
  not_stored: 'Its text could not be kept: tell the operator',
  blob_missing: 'Its bytes are not there any more: upload it again',
  blob_altered: 'Its bytes are not those that came: upload it again',
  blob_late: 'Its bytes did not come in time: read it again',
}

const WARNINGS: Record<string, (detail: string) => string> = {
  charset_guessed: (detail) =>
    `Nothing says how its letters are written. They were read as ${detail}, which is a guess.`,
  charset_not_followed: (detail) => `Its letters are not written in ${detail}, as was said.`,
  attachments_not_read: (detail) => `What is attached was not read: ${detail}.`,
  pages_without_text: (detail) => `There is no text on these pages, as in a scan: ${detail}.`,
}

/** What is to be known of how a file was read, each as a sentence. */
export function warningsOf({ warnings }: Pick<StoredFile, 'warnings'>): string[] {
  return warnings.map(({ code, detail }) => WARNINGS[code]?.(detail) ?? `${code}: ${detail}`)
}

/** Why a file has no text, as a sentence. */
export function whyNot({ error }: Pick<StoredFile, 'error'>): string {
  if (error === null) return ''
  return REASONS[error.reason ?? ''] ?? String(error.reason ?? error.code).replaceAll('_', ' ')
}
