import type { Counter } from './kinds.ts'

/** A longer address is text. */
const LONGEST_ADDRESS = 2_048
/** Parentheses in an address are nested at most this deep. */
const DEEPEST_PARENTHESES = 4
const SPACE = /\s/

/**
 * The address of a link that may be followed: to the web or to a mailbox, without a name or password of a person in it; undefined for
 * any other.
 */
export function hrefOf(address: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return undefined
  const { username, password, href } = new URL(address)
  return username === '' && password === '' ? href : undefined
}

/** The address behind `](`, and where its `)` ends; undefined where none is there. */
export function targetAt(
  text: string,
  from: number,
  counter: Counter,
): { address: string; end: number } | undefined {
  let at = from
  let open = 0
  const isQuoted = text[from] === '<'
  const isEnd = (sign: string) => (isQuoted ? sign === '>' : SPACE.test(sign) || (sign === ')' && open === 0))
  for (; at < text.length && at - from < LONGEST_ADDRESS && !isEnd(text[at] ?? ''); at += 1) {
    const sign = text[at]
    if (sign === '\n' || (sign === '<' && at > from)) break
    if (!isQuoted && sign === '(') open += 1
    if (!isQuoted && sign === ')') open -= 1
    if (open > DEEPEST_PARENTHESES) break
  }
  counter.steps += at - from
  const address = isQuoted ? text.slice(from + 1, at) : text.slice(from, at)
  if (isQuoted && text[at] === '>') at += 1
  if (text[at] === ' ') at = behindTitle(text, at, counter)
  return text[at] === ')' && open === 0
    ? { address: address.replaceAll('&amp;', '&'), end: at + 1 }
    : undefined
}

/** The end of the title behind an address. The title is not shown. */
function behindTitle(text: string, from: number, counter: Counter): number {
  let at = from
  while (text[at] === ' ') at += 1
  const quote = text[at]
  const end = quote === '"' || quote === "'" ? text.slice(at + 1, at + LONGEST_ADDRESS).indexOf(quote) : -1
  counter.steps += at - from + Math.max(end, 0)
  return end < 0 ? at : at + end + 2
}

/** An address in a text without its last signs where these belong to the sentence or to the parentheses around it. */
export function withoutEnd(address: string): string {
  let end = address.length
  let closed = 0
  for (const sign of address) closed += sign === ')' ? 1 : sign === '(' ? -1 : 0
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? ''
    if (last === ')' && closed > 0) closed -= 1
    else if (!'?!.,:;*_~\'"]}|'.includes(last)) break
  }
  return address.slice(0, end)
}
