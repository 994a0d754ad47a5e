/**
 * Makes a case-insensitive search: letter by letter, in all scripts, for composed and decomposed accents. Databases compare letters
 * beyond ASCII differently, by engine and locale, so the program compares them.
 * @param sought a text; surrounding spaces are ignored
 * @returns whether a text contains it
 */
export function containsText(sought: string): (text: string | null) => boolean {
  const folded = fold(sought.trim())
  return (text) => text !== null && fold(text).includes(folded)
}

/** Folds case: to lower case first, for the capital ß, then to upper case, which unites both forms of the Greek sigma. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}
