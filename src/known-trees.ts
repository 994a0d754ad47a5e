import { registerHooks } from 'node:module'
import { MODULE_EXTENSION } from './core/module-extension.ts'

/**
 * Resolves relative imports in a clone by their text. Node would look for each file on the disk at every import, which takes a fifth of
 * a start. Node resolves all other imports, and those in a package, whose modules are in few files.
 */
if (MODULE_EXTENSION === '.ts') resolveByText()

function resolveByText(): void {
  // In these folders all imports are whole paths, and no file is a link.
  const trees = [
    { root: new URL('.', import.meta.url).href, ending: '.ts', format: 'module-typescript' },
    { root: new URL('.', import.meta.resolve('kysely')).href, ending: '.js', format: 'module' },
  ]
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context
      const tree = specifier.startsWith('.') && trees.find(({ root }) => parentURL.startsWith(root))
      if (!tree || !specifier.endsWith(tree.ending)) return nextResolve(specifier, context)
      return { url: new URL(specifier, parentURL).href, format: tree.format, shortCircuit: true }
    },
  })
}
