/**
 * A condition: a text holds what is sought, in capitals or not, letter by letter, in all scripts, however its accents are composed.
 * Databases disagree about letters beyond ASCII, by engine and by locale; here it is the same for all.
 * @param sought a text; spaces around it do not count
 */
export function containsText(sought: string): (text: string | null) => boolean {
  const folded = fold(sought.trim())
  return (text) => text !== null && fold(text).includes(folded)
}

/** Small letters first, for the capital ß, then capitals: the two forms of the Greek sigma have one. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}
