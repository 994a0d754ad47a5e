import type { Counter } from './kinds.ts'

/** The runs of backticks of a text, which are looked for once, when the first is asked for. */
export function createTicks(text: string, counter: Counter) {
  let places: Map<number, number[]> | undefined
  const lengthAt = (from: number): number => {
    let end = from
    while (text[end] === '`') end += 1
    counter.steps += end - from
    return end - from
  }
  const find = (): Map<number, number[]> => {
    const found = new Map<number, number[]>()
    counter.steps += text.length
    for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
      const many = lengthAt(at)
      const same = found.get(many)
      if (same === undefined) found.set(many, [at])
      else same.push(at)
      at += many
    }
    // The first is taken from the end.
    for (const list of found.values()) list.reverse()
    return found
  }
  /** Where the next run of as many begins behind a place; places only go forward. */
  const closing = (at: number, many: number): number | undefined => {
    places ??= find()
    const list = places.get(many) ?? []
    while ((list.at(-1) ?? at + 1) <= at) list.pop()
    return list.at(-1)
  }
  return { lengthAt, closing }
}
