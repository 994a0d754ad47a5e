import { readInput } from './common/input.ts'
import type { Message } from './common/messages.ts'
import { readFile } from './read-file.ts'

/**
 * Reads one file of a stranger, in a process that may do nothing else (`src/processes/program.ts`): it takes the bytes from
 * its input, says on its output what it finds, and ends.
 */

// Not by `import`, which makes all that there is of it (`src/processes/bootstrap.cjs`).
const { writeSync } = process.getBuiltinModule('node:fs')
/** Not the output that libraries may print to. */
const OUTPUT = 3

function say(message: Message): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(OUTPUT, line, at)
}

const input = readInput()
if (input !== undefined) await readFile(input.bytes, input.assignment, say)
// Timers and handles that a parser left open must not keep the process alive.
process.exit()
