import { FORMATS, mapSchema, unwrittenPattern } from './formats.ts'

/** The keyword that names a schema of `components`; Fastify's plugin would resolve a `$ref` too early. */
export const NAMED = 'x-named'

/** The keyword in which `documented` keeps rules that only the document states. */
const RULE = 'x-rule'

/**
 * A schema option for a rule that the route enforces itself, with a reason of its own. The document states it in JSON
 * Schema, so that clients can send valid requests.
 */
export function documented(rule: object): object {
  return { [RULE]: rule }
}

/** A case-insensitive pattern; JSON Schema has no flag for that. */
export function anyCase({ source }: RegExp): string {
  return source
    .replaceAll('a-z', 'A-Za-z')
    .replace(/\\.|A-Za-z|[a-z]/g, (part) => (part.length > 1 ? part : `[${part.toUpperCase()}${part}]`))
}

/** A text that begins with one of `origins`, exactly, followed by the rest of a URL. */
export function originsPattern(origins: string[]): object {
  if (origins.length === 0) return {}
  const written = origins.map((origin) => origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return documented({ pattern: `^(${written})([/?#][!-[\\]-~]*)?$` })
}

/** The schema of a request for the document: all rules in standard JSON Schema. */
export function publicSchema<T>(schema: T): T {
  return mapSchema(schema, say) as T
}

function say({ [RULE]: rule, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const { type, format } = schema
  const known = type === 'string' && typeof format === 'string' ? FORMATS[format]?.rule : undefined
  const pattern = unwrittenPattern(schema)
  return {
    ...known,
    ...(pattern === undefined ? {} : { pattern }),
    ...schema,
    ...(typeof rule === 'object' ? rule : {}),
  }
}
