import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Lets a test import the console's components: they go through the same compiler as when they are served. */
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context)
    const source = compileTsx(fileURLToPath(url))
    return { format: 'module', source, shortCircuit: true }
  },
})

let compiler: typeof import('#src/console/compile.ts') | undefined

function compileTsx(file: string): string {
  // Most tests have no use for it: it is loaded by those that do.
  compiler ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)(
    '#src/console/compile.ts',
  ) as typeof compiler
  return (compiler as NonNullable<typeof compiler>).compile(file, readFileSync(file, 'utf8'))
}
