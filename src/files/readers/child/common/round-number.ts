/** Significant digits of a spreadsheet's number; further ones are rounding noise. */
export const DIGITS = 15

/** A number without rounding noise: `0.30000000000000004` → `0.3`. */
export function roundNumber(number: number): number {
  return Number(number.toPrecision(DIGITS))
}
