import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after } from 'node:test'

/** A later version of the program: these sources with one more migration, in a folder of its own. */
export interface NextVersion {
  /** Its program, for `startProcess`. */
  program: string
  version: string
}

/** @param statements of the migration, the same on both engines */
export function nextVersion(statements: readonly string[]): NextVersion {
  const folder = mkdtempSync(join(tmpdir(), 'postern-next-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const root = resolve(import.meta.dirname, '../..')
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = `${manifest.version}-next`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }))

  const migrations = join(folder, 'src/db/migrations')
  const text = `export const statements = () => ${JSON.stringify(statements)}\n`
  writeFileSync(join(migrations, 'later.ts'), text)
  const list = join(migrations, 'migrations.ts')
  const before = readFileSync(list, 'utf8')
  const changed = before.replace(/\n\]\n/, `\n  { name: 'later', read: () => import('./later.ts') },\n]\n`)
  if (changed === before) throw new Error('the list of migrations has another form')
  writeFileSync(list, changed)
  return { program: join(folder, 'src/main.ts'), version }
}
