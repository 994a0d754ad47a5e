import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { systemClock, toIso } from '#src/core/clock.ts'

/** The rows of one suite on one engine, as they stand in the document. */
export interface Section {
  title: string
  text: string
}

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url)
const MEASURED = /<!-- measured -->\n([\s\S]*)<!-- \/measured -->/

export function machine(): string {
  const [cpu] = cpus()
  return `Machine: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.versions.node}.`
}

/** The day, for a section. */
export function today(): string {
  return toIso(systemClock.now()).slice(0, 10)
}

export function toText(sections: Section[]): string {
  return sections.map(({ title, text }) => `### ${title}\n\n${text}\n`).join('\n')
}

/**
 * Renews these sections of the document; those that were not measured stay as they are.
 * @param order titles of all sections that there are, in their order
 */
export function writeReport(measured: Section[], order: string[]): void {
  const document = readFileSync(DOCUMENT, 'utf8')
  const found = MEASURED.exec(document)
  if (found === null) throw new Error('docs/benchmarks.md has no place for what was measured')
  const [, before = ''] = found
  const known = new Map(
    [...before.matchAll(/^### (.+)\n\n([\s\S]*?)(?=\n### |$(?![\s\S]))/gm)].map(
      ([, title = '', text = '']) => [title, text.trimEnd()],
    ),
  )
  for (const { title, text } of measured) known.set(title, text)
  const sections = order.flatMap((title) => {
    const text = known.get(title)
    return text === undefined ? [] : [{ title, text }]
  })
  const text = `<!-- measured -->\n${machine()}\n\n${toText(sections)}<!-- /measured -->`
  writeFileSync(
    DOCUMENT,
    document.replace(MEASURED, () => text),
  )
}
