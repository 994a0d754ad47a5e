import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'postern-plans-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A file of plans, as an operator would write it; a text is written as it stands. */
export function plansFile(content: object | string): string {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
