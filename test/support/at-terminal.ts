import '#src/known-trees.ts'
import { runCommand } from '#src/cli/command.ts'

/** The command line as a process of its own that takes its output for a terminal: a bare machine has none for tests. */
process.exitCode = await runCommand(process.argv.slice(2), {
  env: undefined,
  isInteractive: true,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
})
