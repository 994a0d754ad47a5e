import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nightly } from './nightly.ts'

/**
 * The files of a chapter share processes: a third of what most files compute is loading the program and running it before it is
 * compiled. A file has a process of its own where it measures its process.
 */
const MEASURES =
  /\b(computing|longestStretch|leastStretch|cpuUsage|memoryUsage|performance\.now|setFlagsFromString)\b|loaded-modules/
/**
 * A process has no more files. Each process computes two seconds of its own, so few are cheap; but one that dies takes all of its
 * files along, and the last ones should end at about the same time. At night files take several times as long.
 */
const MOST = nightly(8, 20)
/** Chapters of fewer files are divided as one. */
const SMALL = 10

/**
 * Divides test files among processes.
 * @param folder where a file is written for each process of several test files
 * @returns the file of each process, those with one test file first, since the longest are among them
 */
export function groupFiles(files: readonly string[], folder: string): string[] {
  const alone = files.filter(isAlone)
  const together = files.filter((file) => !isAlone(file))
  const sizes = Map.groupBy(together, chapterOf)
  const chapters = Map.groupBy(together, (file) => {
    const chapter = chapterOf(file)
    return (sizes.get(chapter)?.length ?? 0) < SMALL ? 'others' : chapter
  })
  const groups = [...chapters].flatMap(([chapter, own]) => {
    const count = Math.ceil(own.length / MOST)
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
