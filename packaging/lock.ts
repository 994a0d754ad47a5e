import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of `package-lock.json`, as far as building looks at it. */
export interface Locked {
  /** Where npm puts it: `node_modules/a/node_modules/b`. */
  path: string
  name: string
  version: string
  license?: string
  /** Its digest; of packages that are for other platforms the file may not have it. */
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  os?: string[]
  cpu?: string[]
  libc?: string[]
  engines?: Record<string, string>
}

/** The clone that packages are made from. */
export const ROOT = join(import.meta.dirname, '..')

export interface Manifest {
  name: string
  version: string
  description: string
  license: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** Where the registry of npm has a package. */
export function tarballOf({ name, version }: Pick<Locked, 'name' | 'version'>): string {
  return `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`
}

export const readManifest = () => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

/** Every package of the lock file by its path. */
export function readLock(): Map<string, Locked> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Omit<Locked, 'path' | 'name'> & { link?: boolean }>
  }
  const entries = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  return new Map(
    entries.map(([path, locked]) => [
      path,
      { ...locked, path, name: path.split('node_modules/').at(-1) ?? '' },
    ]),
  )
}

/**
 * The named packages and all that they need, sorted by path, as Node finds it from where it is needed.
 * @param kinds which kinds of dependencies are followed
 * @throws Error naming what the lock file lacks
 */
export function closureOf(
  lock: ReadonlyMap<string, Locked>,
  names: readonly string[],
  { optional = false } = {},
): Locked[] {
  const found = new Set<Locked>()
  const visit = (name: string, from: string, isOptional: boolean): void => {
    const locked = find(lock, name, from)
    if (locked === undefined) {
      if (isOptional) return
      throw new Error(`the lock file has no ${name} for ${from || 'the program'}`)
    }
    if (found.has(locked)) return
    found.add(locked)
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = locked
    for (const one of Object.keys(dependencies)) visit(one, locked.path, one in optionalDependencies)
    for (const one of Object.keys(peerDependencies))
      if (peerDependenciesMeta[one]?.optional !== true) visit(one, locked.path, false)
    if (optional) for (const one of Object.keys(optionalDependencies)) visit(one, locked.path, true)
  }
  for (const name of names) visit(name, '', false)
  return [...found].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** What `name` is to a package at `from`: the nearest one above. */
function find(lock: ReadonlyMap<string, Locked>, name: string, from: string): Locked | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const locked = lock.get(at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`)
    if (locked !== undefined || at === '') return locked
  }
}

/** Whether npm has installed it: not so what is for another platform. */
export const isInstalled = ({ path }: Locked) => existsSync(join(ROOT, path, 'package.json'))
