/** The paths that the server has, and which methods each of them knows. */
interface KnownPaths {
  add(pattern: string, methods: string | string[]): void
  /** The methods that `path` has; none where there is nothing at all. */
  methodsOf(path: string): string[]
  /** Whether there is a more literal pattern for `path` than this one: then it names no thing of this one's kind. */
  isShadowed(path: string, pattern: string): boolean
}

/** Sorted as HTTP lists them, what only reads first. */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Asked only where no route matches: the answer then names the methods that the path has. */
export function createKnownPaths(): KnownPaths {
  const known = new Map<string, Known>()
  /** By pattern: those that are more literal and have paths in common with it. Few patterns have any. */
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
      // The answer to a preflight stands at every path.
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

/** What sorts the more literal pattern first, read from the left as the router reads a path. */
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
