import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** Stands for the way from a file of the bundle to the tree, which is known when all modules have their files. */
const WAY = '__WAY_TO_TREE__'
/** What packages load where it is installed. Postern does not bring it. */
const OPTIONAL = ['pg-cloudflare', 'pg-native']

/** What a bundle is made of, and where it goes. */
interface Parts {
  /** The folder of the compiled sources, below the tree, whose packages they find. */
  sources: string
  tree: string
  /** The modules of the sources that are started by their place, which they keep. */
  entries: readonly string[]
  /** Packages and modules that are loaded from where they are, if at all. */
  outside: readonly string[]
}

/**
 * Writes few files in place of a thousand modules of Postern and its packages: to find and link those takes Node a third of a start.
 * Names stay as they are, for the traces of errors.
 * @throws Error where a module names what is not there
 */
export async function bundle({ sources, tree, entries, outside }: Parts): Promise<void> {
  const lacking: string[] = []
  const bundler = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ''), join(sources, entry)])),
    platform: 'node',
    // Comments name modules by their way from here.
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

/** The code of a module of ours, which finds files by its place in the sources although it is in another file now. */
function placed(code: string, path: string): string | undefined {
  if (path.startsWith('..') || path.startsWith('node_modules')) return undefined
  const file = `${WAY}${path.replaceAll('\\', '/')}`
  return code
    .replaceAll('import.meta.url', `new URL('${file}', import.meta.url).href`)
    .replaceAll('import.meta.filename', `(import.meta.dirname + '/${file}')`)
    .replaceAll(/import\.meta\.dirname(?! \+)/g, `(import.meta.dirname + '/${dirname(file)}')`)
}
