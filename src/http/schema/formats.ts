import { fromIso } from '../../core/clock.ts'
import { ID_PATTERN, KINDS, LONGEST_ID, readId } from '../../core/id.ts'
import { LONGEST_EMAIL, normalizeEmail } from '../../core/text/email.ts'

/** A custom format: the server's check, and an equal or wider rule in standard JSON Schema. */
interface Format {
  check: (text: string) => boolean
  /** The rule in the document. It accepts every text that `check` accepts. */
  rule: { pattern?: string; not?: { pattern: string }; minLength?: number; maxLength?: number }
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
/** Letters and digits of any alphabet, because international domains are accepted as written. */
const LABEL = '[A-Za-z0-9\\u0080-\\uffff]([A-Za-z0-9\\u0080-\\uffff-]*[A-Za-z0-9\\u0080-\\uffff])?'
const MOMENT =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$'
const LONGEST_MOMENT = '2026-11-20T09:00:00.123456789+00:00'.length
const isMoment = new RegExp(MOMENT)
/** In UTC these moments may lie before year 0000 or after 9999, which has more digits. */
const BEYOND_YEARS = '^(0000-01-01.*[+]|9999-12-31.*-[0-9]{2}:[0-9]{2}$)'
const isBeyondYears = new RegExp(BEYOND_YEARS)

/** Before normalization; longer texts are refused unread. */
const LONGEST_PASSWORD = 2_048

/** 8 to 256 characters, counted in code points after NFKC (decisions: access, ASVS 6.2.1). */
function isPassword(text: string): boolean {
  if (text.length > LONGEST_PASSWORD) return false
  const length = [...text.normalize('NFKC')].length
  return length >= 8 && length <= 256
}

/** All formats that our schemas may name. */
export const FORMATS: Record<string, Format> = {
  email: {
    check: (text) => normalizeEmail(text) !== undefined,
    rule: { maxLength: LONGEST_EMAIL, pattern: `^ *${ATOM}(\\.${ATOM})*@(${LABEL}\\.)+${LABEL} *$` },
  },
  password: { check: isPassword, rule: { minLength: 8, maxLength: 256 } },
  'date-time': {
    check: (text) => isMoment.test(text) && !isBeyondYears.test(text) && fromIso(text) !== undefined,
    rule: { maxLength: LONGEST_MOMENT, pattern: MOMENT, not: { pattern: BEYOND_YEARS } },
  },
  ...Object.fromEntries(
    KINDS.map((kind) => [
      `${kind}-id`,
      {
        check: (text: string) => readId(kind, text) !== undefined,
        rule: { maxLength: LONGEST_ID, pattern: ID_PATTERN[kind] },
      },
    ]),
  ),
  // Annotations for the document; the server does not check them.
  binary: { check: () => true, rule: {} },
  uri: { check: () => true, rule: {} },
}

/** PostgreSQL cannot store a NUL. */
const NO_NUL = '^[^\\u0000]*$'

/**
 * The pattern that a text must match beyond its schema. Texts with a pattern, a format or an enum have none, nor have
 * secrets, which are stored as hashes.
 */
export function unwrittenPattern(schema: Record<string, unknown>): string | undefined {
  const { type, pattern, format, enum: values, writeOnly } = schema
  return type !== 'string' || pattern || format || values || writeOnly ? undefined : NO_NUL
}

/** Applies `change` to a schema and every schema in it. */
export function mapSchema(
  schema: unknown,
  change: (one: Record<string, unknown>) => Record<string, unknown>,
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapSchema(item, change))
  if (typeof schema !== 'object' || schema === null) return schema
  return change(
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, mapSchema(value, change)])),
  )
}
