import { transformSync } from 'oxc-transform'

/**
 * Compiles a module for browsers: removes types and turns JSX into calls of preact. Imports stay unchanged, because relative ones name
 * served files and the page's import map has the others.
 * @throws Error that names a file with a syntax error
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
