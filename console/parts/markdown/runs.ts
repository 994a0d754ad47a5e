const SPACE = /\s/
const PUNCTUATION = /[\p{P}\p{S}]/u

/** A run of `*`, `_` or `~` that may begin an emphasis. */
export interface Opener {
  sign: string
  /** Signs that are still unused, and signs in all. */
  many: number
  whole: number
  canClose: boolean
  /** Its index among the pieces. */
  at: number
}

/** Whether a run may begin, and whether it may end an emphasis. */
export function sidesOf(
  text: string,
  from: number,
  end: number,
  sign: string,
): { canOpen: boolean; canClose: boolean } {
  const [before, behind] = [text[from - 1] ?? ' ', text[end] ?? ' ']
  const [isSignBefore, isSignBehind] = [PUNCTUATION.test(before), PUNCTUATION.test(behind)]
  const isLeft = !SPACE.test(behind) && (!isSignBehind || SPACE.test(before) || isSignBefore)
  const isRight = !SPACE.test(before) && (!isSignBefore || SPACE.test(behind) || isSignBehind)
  if (sign !== '_') return { canOpen: isLeft, canClose: isRight }
  return { canOpen: isLeft && (!isRight || isSignBefore), canClose: isRight && (!isLeft || isSignBehind) }
}

/** Whether a run ends what an earlier one began; the rule of three keeps `*a**b**c*` together. */
export function fits(opener: Opener | undefined, sign: string, whole: number, canOpen: boolean): boolean {
  if (opener?.sign !== sign) return false
  const isDoubtful = (opener.canClose || canOpen) && (opener.whole + whole) % 3 === 0
  return !isDoubtful || (opener.whole % 3 === 0 && whole % 3 === 0)
}
