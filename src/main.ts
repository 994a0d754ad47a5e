import { enableCompileCache } from 'node:module'

// A second start does not compile again what has not changed.
enableCompileCache()
const { runCommand } = await import('./cli/command.ts')
process.exitCode = await runCommand(process.argv.slice(2))
