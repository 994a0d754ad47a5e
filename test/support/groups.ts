import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The files of a chapter share processes: a third of what most files compute is loading the program and running it before it is
 * compiled. A file has a process of its own where it measures its process.
 */
const MEASURES =
  /\b(computing|longestStretch|cpuUsage|memoryUsage|performance\.now|setFlagsFromString)\b|loaded-modules/
/** A process has no more files, so that one that fails takes few others along. */
const MOST = 8
/** A chapter has so many processes at least, so that they end at about the same time. */
const FEWEST = 4

/**
 * Divides test files among processes.
 * @param folder where a file is written for each process of several test files
 * @returns the file of each process, those with one test file first, since the longest are among them
 */
export function groupFiles(files: readonly string[], folder: string): string[] {
  const alone = files.filter(isAlone)
  const chapters = Map.groupBy(
    files.filter((file) => !isAlone(file)),
    chapterOf,
  )
  const groups = [...chapters].flatMap(([chapter, own]) => {
    const count = Math.max(Math.ceil(own.length / MOST), Math.min(own.length, FEWEST))
    return Array.from({ length: count }, (_, group) => {
      const members = own.filter((_, index) => index % count === group)
      return members.length === 1
        ? String(members[0])
        : writeGroup(folder, `${chapter}-${group + 1}`, members)
    })
  })
  return [...alone, ...groups]
}

function isAlone(file: string): boolean {
  return MEASURES.test(readFileSync(file, 'utf8'))
}

/** `access` of `test/access/members.test.ts`, `test` of the files in `test/` itself; unit tests are one chapter. */
function chapterOf(file: string): string {
  const [root = '', chapter = ''] = dirname(file).split('/')
  return root === 'test' ? chapter || root : root
}

function writeGroup(folder: string, name: string, members: string[]): string {
  const file = join(folder, `${name}.test.ts`)
  const hold = pathToFileURL(join(import.meta.dirname, 'hold.ts')).href
  const imports = members.map((member) => `import '${pathToFileURL(resolve(member)).href}'\n`)
  writeFileSync(file, `import { beginTests } from '${hold}'\n${imports.join('')}beginTests()\n`)
  return file
}
