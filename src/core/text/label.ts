/** Control characters, and the Unicode line separators. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'
/** Bidirectional overrides: they make a label look like another one. */
const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'
/** Invisible characters. They are allowed within a label, because some languages and joined emoji need them. */
const BLANK = ' \\u00a0\\u00ad\\u061c\\u1680\\u180e\\u2000-\\u200f\\u202f\\u205f-\\u2064\\u3000\\ufeff'

const ON_A_LINE = `[^${CONTROLS}${TURNING}]`
const VISIBLE = `[^${CONTROLS}${TURNING}${BLANK}]`

/** The pattern of a display name: visible, on one line, without bidirectional overrides. */
export const LABEL_PATTERN = `^[${BLANK}]*${VISIBLE}${ON_A_LINE}*$`

const LABEL = new RegExp(LABEL_PATTERN, 'u')
const UNFIT = new RegExp(`[${CONTROLS}${TURNING}]`, 'g')

/** Whether a text is a display name of at most `longest` characters. */
export function isLabel(text: string, longest: number): boolean {
  return text.length <= 2 * longest && [...text].length <= longest && LABEL.test(text)
}

/** Makes a display name of an untrusted text; undefined where nothing of it is visible. */
export function toLabel(text: string, longest: number): string | undefined {
  const line = text
    .slice(0, 2 * longest)
    .replace(UNFIT, ' ')
    .trim()
    .toWellFormed()
  const label = [...line].slice(0, longest).join('').trim()
  return LABEL.test(label) ? label : undefined
}
