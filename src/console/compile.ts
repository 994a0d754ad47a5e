import { transformSync } from 'oxc-transform'

/**
 * A module of the console as browsers take it: without types, its JSX as calls of preact. Its imports stay as they are: the
 * relative ones name files that are served beside it, the others stand in the page's import map.
 * @throws Error naming the file, where it is no TypeScript
 */
export function compile(name: string, source: string): string {
  const { code, errors } = transformSync(name, source, {
    lang: name.endsWith('x') ? 'tsx' : 'ts',
    jsx: { runtime: 'automatic', importSource: 'preact', pure: false },
    typescript: { onlyRemoveTypeImports: true },
    target: 'es2022',
  })
  const [error] = errors
  if (error !== undefined) throw new Error(`${name} cannot be read: ${error.message}`)
  return code
}
