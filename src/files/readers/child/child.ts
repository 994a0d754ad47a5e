import { readInput } from './common/input.ts'
import type { Message } from './common/messages.ts'
import { readFile } from './read-file.ts'

/**
 * The program of the child process: reads one untrusted file in a sandbox (`src/processes/program.ts`). It takes the bytes from its
 * input, sends messages on its output, and ends.
 */

// Not by `import`, which initializes the whole module (`src/processes/bootstrap.cjs`).
const { writeSync } = process.getBuiltinModule('node:fs')
/** The descriptor for messages. Libraries may print to the standard output. */
const OUTPUT = 3

function send(message: Message): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(OUTPUT, line, at)
}

const input = readInput()
if (input !== undefined) await readFile(input.bytes, input.assignment, send)
// Open timers and handles of a parser must not keep the process alive.
process.exit()
