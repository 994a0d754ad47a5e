/** Controls, and what ends a line without being one. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'
/** What has the signs after it read in another direction: a label would look like another one. */
const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'
/** Invisible characters; words of some languages, and joined emoji, have some of it within. */
const BLANK = ' \\u00a0\\u00ad\\u061c\\u1680\\u180e\\u2000-\\u200f\\u202f\\u205f-\\u2064\\u3000\\ufeff'

const ON_A_LINE = `[^${CONTROLS}${TURNING}]`
const VISIBLE = `[^${CONTROLS}${TURNING}${BLANK}]`

/** What a person or thing is called, as a pattern: visible, on one line, and as it looks. */
export const LABEL_PATTERN = `^[${BLANK}]*${VISIBLE}${ON_A_LINE}*$`

const LABEL = new RegExp(LABEL_PATTERN, 'u')
const UNFIT = new RegExp(`[${CONTROLS}${TURNING}]`, 'g')

/** Whether something can be called so. */
export function isLabel(text: string, longest: number): boolean {
  return text.length <= 2 * longest && [...text].length <= longest && LABEL.test(text)
}

/** A label of what a stranger has called something; undefined where nothing of it can be seen. */
export function toLabel(text: string, longest: number): string | undefined {
  const line = text
    .slice(0, 2 * longest)
    .replace(UNFIT, ' ')
    .trim()
    .toWellFormed()
  const label = [...line].slice(0, longest).join('').trim()
  return LABEL.test(label) ? label : undefined
}
