import { registerHooks } from 'node:module'
import { MODULE_EXTENSION } from './core/module-extension.ts'

/** Trees without links whose modules name each other by whole relative paths; and what all of their files are to Node. */
const TREES = [
  {
    root: new URL('.', import.meta.url).href,
    ending: MODULE_EXTENSION,
    format: MODULE_EXTENSION === '.ts' ? 'module-typescript' : 'module',
  },
  { root: new URL('.', import.meta.resolve('kysely')).href, ending: '.js', format: 'module' },
]

/**
 * Where a module is said to be, there it is: Node would ask the disk about each once for every import, which is a fifth of
 * a start. Whatever is loaded before this module, and from elsewhere, is found as ever.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context
    const tree = specifier.startsWith('.') && TREES.find(({ root }) => parentURL.startsWith(root))
    if (!tree || !specifier.endsWith(tree.ending)) return nextResolve(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: tree.format, shortCircuit: true }
  },
})
