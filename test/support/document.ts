const SHAPES = '#/components/schemas/'

/** The OpenAPI document with references replaced by their schemas; recursive ones keep their reference. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export function withShapes(document: any): any {
  const { schemas } = document.components
  function put(value: unknown, around: string[]): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((one) => put(one, around))
    const { $ref } = value as { $ref?: string }
    const name = $ref?.startsWith(SHAPES) ? $ref.slice(SHAPES.length) : undefined
    if (name !== undefined && !around.includes(name)) return put(schemas[name], [...around, name])
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, put(inner, around)]))
  }
  return { ...document, paths: put(document.paths, ['FreeValue', 'FreeObject', 'DataSchema']) }
}
