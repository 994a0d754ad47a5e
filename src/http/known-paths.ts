/** The paths of the server, and the methods of each. */
interface KnownPaths {
  add(pattern: string, methods: string | string[]): void
  /** The methods of `path`; empty where the path is unknown. */
  methodsOf(path: string): string[]
  /** Whether a more literal pattern matches `path`: then the path names no resource of this pattern. */
  isShadowed(path: string, pattern: string): boolean
}

/** The order in which `Allow` lists methods: reading ones first. */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Used only where no route matches, to name the methods of the path. */
export function createKnownPaths(): KnownPaths {
  const known = new Map<string, Known>()
  /** For each pattern, the more literal patterns that match some of the same paths. Few patterns have any. */
  const rivals = new Map<string, Known[]>()

  function rivalsOf(pattern: string): Known[] {
    const found = rivals.get(pattern)
    if (found !== undefined) return found
    const marks = marksOf(pattern.split('/'))
    const made = [...known.values()].filter(
      ({ segments }) => marksOf(segments) < marks && matches(pattern.split('/'), segments),
    )
    rivals.set(pattern, made)
    return made
  }

  return {
    add(pattern, methods) {
      // The preflight handler matches every path.
      if (pattern === '*') return
      const before = known.get(pattern)?.methods ?? []
      known.set(pattern, { segments: pattern.split('/'), methods: [...before, ...[methods].flat()] })
      rivals.clear()
    },
    methodsOf(path) {
      const segments = path.split('/')
      const found = [...known.values()].filter((one) => matches(one.segments, segments))
      const most = found.map((one) => marksOf(one.segments)).sort()[0]
      const methods = found.filter((one) => marksOf(one.segments) === most).flatMap((one) => one.methods)
      return ORDER.filter((method) => methods.includes(method))
    },
    isShadowed(path, pattern) {
      const others = rivalsOf(pattern)
      if (others.length === 0) return false
      const segments = path.split('/')
      return others.some((one) => matches(one.segments, segments))
    },
  }
}

interface Known {
  segments: string[]
  methods: string[]
}

/** A sort key that puts more literal patterns first, compared from the left as the router does. */
function marksOf(segments: string[]): string {
  return segments.map((segment) => (segment === '*' ? 2 : segment.startsWith(':') ? 1 : 0)).join('')
}

function matches(pattern: string[], path: string[]): boolean {
  const isOpen = pattern.at(-1) === '*'
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return false
  return pattern.every(
    (segment, at) => segment === '*' || segment === path[at] || (segment.startsWith(':') && path[at] !== ''),
  )
}
