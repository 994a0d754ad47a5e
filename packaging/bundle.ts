import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** A placeholder for the relative path from a file of the bundle to the tree, because rolldown assigns modules to files last. */
const WAY = '__WAY_TO_TREE__'
/** Optional dependencies of packages, which Postern does not include. */
const OPTIONAL = ['pg-cloudflare', 'pg-native']

/** The input and the output folder of a bundle. */
interface Parts {
  /** The folder of the compiled sources. It is below the tree, so that they find its packages. */
  sources: string
  tree: string
  /** Modules that are started by their path, which they keep. */
  entries: readonly string[]
  /** Imports that stay imports. */
  outside: readonly string[]
}

/**
 * Joins the modules of Postern and its packages to few files, because Node needs a third of a start to find and link a thousand modules.
 * Names are not shortened, so that traces of errors can be read.
 * @throws Error if an import is not found
 */
export async function bundle({ sources, tree, entries, outside }: Parts): Promise<void> {
  const lacking: string[] = []
  const bundler = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ''), join(sources, entry)])),
    platform: 'node',
    // The comments that name modules are relative to this folder, so that two builds are equal.
    cwd: tree,
    external: (name) => isBuiltin(name) || outside.includes(name),
    plugins: [{ name: 'places', transform: (code, id) => placed(code, relative(sources, id)) }],
    onLog(level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT' && !OPTIONAL.some((name) => message.includes(`'${name}'`)))
        lacking.push(`${level}: ${message}`)
    },
  })
  await bundler.write({
    dir: tree,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/chunks/[name]-[hash].js',
    plugins: [
      {
        name: 'ways',
        renderChunk: (code, { fileName }) =>
          code.replaceAll(WAY, `${relative(dirname(fileName), '.').replaceAll('\\', '/')}/`),
      },
    ],
  })
  await bundler.close()
  if (lacking.length > 0) throw new Error(`the tree lacks what it imports:\n${lacking.join('\n')}`)
}

/** Rewrites `import.meta` in a module of Postern, because the bundle moves the module away from the files that it finds by it. */
function placed(code: string, path: string): string | undefined {
  if (path.startsWith('..') || path.startsWith('node_modules')) return undefined
  const file = `${WAY}${path.replaceAll('\\', '/')}`
  return code
    .replaceAll('import.meta.url', `new URL('${file}', import.meta.url).href`)
    .replaceAll('import.meta.filename', `(import.meta.dirname + '/${file}')`)
    .replaceAll(/import\.meta\.dirname(?! \+)/g, `(import.meta.dirname + '/${dirname(file)}')`)
}
