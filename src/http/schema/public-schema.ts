import { FORMATS, mapSchema, unwrittenPattern } from './formats.ts'

/** A member of a schema that names a schema of `components`: what the document's maker would resolve too early. */
export const NAMED = 'x-named'

/** The member of a schema in which `documented` keeps what only the document says. */
const RULE = 'x-rule'

/**
 * An option for a schema whose route enforces `rule` itself, because it gives a reason of its own: the document
 * states it in JSON Schema, so that a client that knows only the document can send what is accepted.
 */
export function documented(rule: object): object {
  return { [RULE]: rule }
}

/** A pattern that asks nothing of the case of letters, which JSON Schema has no flag for. */
export function anyCase({ source }: RegExp): string {
  return source
    .replaceAll('a-z', 'A-Za-z')
    .replace(/\\.|A-Za-z|[a-z]/g, (part) => (part.length > 1 ? part : `[${part.toUpperCase()}${part}]`))
}

/** A text that begins with one of `origins`, to the letter, followed by the rest of a URL. */
export function originsPattern(origins: string[]): object {
  if (origins.length === 0) return {}
  const written = origins.map((origin) => origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return documented({ pattern: `^(${written})([/?#][!-[\\]-~]*)?$` })
}

/** The schema of a request as the document shows it: everything that is asked, in words of JSON Schema alone. */
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
