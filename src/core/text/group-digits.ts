/**
 * A whole number as people read it: `100,000`. `toLocaleString` says the same, and has Node load what it knows of all
 * languages: 9 ms of a start, and 9 MB.
 */
export function groupDigits(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ',')
}
