import type { StoredFile } from '#sdk/postern.ts'

const WARNINGS: Record<string, (detail: string) => string> = {
  charset_guessed: (detail) => `The encoding is a guess: ${detail}.`,
  charset_not_followed: (detail) => `The encoding is not ${detail}, as declared.`,
  attachments_not_read: (detail) => `Attachments were not extracted: ${detail}.`,
  pages_without_text: (detail) => `Pages without text, as in a scan: ${detail}.`,
}

/** The warnings of a file, each as a sentence. */
export function warningsOf({ warnings }: Pick<StoredFile, 'warnings'>): string[] {
  return warnings.map(({ code, detail }) => WARNINGS[code]?.(detail) ?? `${code}: ${detail}`)
}
