/**
 * Moves a cut before a surrogate pair that it would split. (The reader of files has a copy, because its process gets only its own modules.)
 * @param place an index in UTF-16 code units
 * @returns `place`, or one less
 */
export function cutAt(text: string, place: number): number {
  const splits = isWithin(text.charCodeAt(place), 0xdc00) && isWithin(text.charCodeAt(place - 1), 0xd800)
  return splits ? place - 1 : place
}

/** Whether a code unit is one of the 1,024 of a half of surrogates. */
const isWithin = (unit: number, first: number) => unit >= first && unit < first + 0x400
