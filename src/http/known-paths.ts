/** The paths that the server has, and which methods each of them knows. */
export interface KnownPaths {
  add(pattern: string, methods: string | string[]): void
  /** The methods that `path` has; none where there is nothing at all. */
  methodsOf(path: string): string[]
  /** Whether `path` is one of its own, to the letter: then it names no thing of another path's kind. */
  isLiteral(path: string): boolean
}

/** Sorted as HTTP lists them, what only reads first. */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Asked only for what no route takes: so that whoever has the path right learns what to do with it. */
export function createKnownPaths(): KnownPaths {
  const literal = new Map<string, string[]>()
  const open: { segments: string[]; methods: string[] }[] = []
  return {
    add(pattern, methods) {
      // The answer to a preflight stands at every path.
      if (pattern === '*') return
      if (/[:*]/.test(pattern)) open.push({ segments: pattern.split('/'), methods: [methods].flat() })
      else literal.set(pattern, [...(literal.get(pattern) ?? []), ...[methods].flat()])
    },
    methodsOf(path) {
      const segments = path.split('/')
      const methods =
        literal.get(path) ??
        open.filter((one) => matches(one.segments, segments)).flatMap((one) => one.methods)
      return ORDER.filter((method) => methods.includes(method))
    },
    isLiteral: (path) => literal.has(path),
  }
}

function matches(pattern: string[], path: string[]): boolean {
  const isOpen = pattern.at(-1) === '*'
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return false
  return pattern.every(
    (segment, at) => segment === '*' || segment === path[at] || (segment.startsWith(':') && path[at] !== ''),
  )
}
