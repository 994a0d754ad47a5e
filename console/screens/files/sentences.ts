import type { StoredFile } from '#sdk/postern.ts'

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
