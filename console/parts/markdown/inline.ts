import { hrefOf, targetAt, withoutEnd } from './addresses.ts'
import { wordsAt } from './entities.ts'
import type { Counter, Inline } from './kinds.ts'
import { fits, type Opener, sidesOf } from './runs.ts'
import { createTicks } from './ticks.ts'

/** Emphases and links are nested at most this deep; a deeper one is text. */
const DEEPEST = 12

/** A stretch of text without special signs. */
const PLAIN = /[^\\`*_~[\]!<h&]+/y
/** Signs that a backslash takes their meaning from. */
const ESCAPED = /[!-/:-@[-`{-~]/
const WORD = /[\p{L}\p{N}]/u
const BARE = /https?:\/\/[^\s<>"`]{1,2048}/iy
const IN_ANGLES = /<(?:((?:https?:\/\/|mailto:)[^\s<>]{1,2048})|([\w.+-]{1,64}@[\w.-]{1,253}))>/iy

/** A `[` or `![` that may begin a link. No emphasis begins within its brackets and ends outside of them. */
interface Bracket {
  at: number
  /** How many openers stand before it. */
  openers: number
  /** Its place in the text, and the place of the first character behind it. */
  from: number
  said: number
  /** By the kind of a run: below this many openers none fits. */
  bottoms?: Map<string, number>
}

/**
 * Reads the text of a block: emphasis, code, links, escapes and entities. An image becomes a link to it. HTML stays text, and so does a
 * link that leads neither to the web nor to a mailbox. The cost is linear in the length of the text: a search either consumes the
 * characters that it has read, or is never repeated.
 */
export function readInline(text: string, counter: Counter): Inline[] {
  const pieces: Inline[] = []
  const openers: Opener[] = []
  const brackets: Bracket[] = []
  const outside = new Map<string, number>()
  const ticks = createTicks(text, counter)
  let at = 0

  const put = (said: string): void => {
    const last = pieces.length - 1
    const before = pieces[last]
    const isOpen = openers.at(-1)?.at === last || brackets.at(-1)?.at === last
    if (typeof before === 'string' && !isOpen) pieces[last] = before + said
    else pieces.push(said)
  }
  const bottoms = (): Map<string, number> => {
    const bracket = brackets.at(-1)
    if (bracket === undefined) return outside
    bracket.bottoms ??= new Map()
    return bracket.bottoms
  }
  const keepOpeners = (many: number): void => {
    if (openers.length <= many) return
    openers.length = many
    for (const [kind, bottom] of bottoms()) if (bottom > many) bottoms().set(kind, many)
  }

  const readCode = (): void => {
    const many = ticks.lengthAt(at)
    const end = ticks.closing(at, many)
    if (end === undefined) put('`'.repeat(many))
    else {
      const inner = text.slice(at + many, end).replaceAll('\n', ' ')
      const isPadded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== ''
      pieces.push({ kind: 'code', text: isPadded ? inner.slice(1, -1) : inner })
      at = end
    }
    at += many
  }

  /** Makes an emphasis of all that follows an opener; false where it would lie too deep. */
  const wrap = (opener: Opener, used: number): boolean => {
    counter.steps += pieces.length - opener.at
    const depth = 1 + depthOf(pieces, opener.at + 1)
    if (depth > DEEPEST) return false
    const inner = pieces.splice(opener.at + 1)
    const kind = opener.sign === '~' ? 'deleted' : used === 2 ? 'strong' : 'emphasis'
    opener.many -= used
    if (opener.many === 0) pieces.pop()
    else pieces[opener.at] = opener.sign.repeat(opener.many)
    pieces.push({ kind, inner, depth })
    return true
  }

  /** A run of `*`, `_` or `~` ends what it can, and may begin something with the signs that are left (CommonMark 0.31, 6.2). */
  const readRun = (): void => {
    const sign = text[at] ?? ''
    const from = at
    while (text[at] === sign) at += 1
    const whole = at - from
    counter.steps += whole
    if (sign === '~' && whole !== 2) {
      put(sign.repeat(whole))
      return
    }
    const { canOpen, canClose } = sidesOf(text, from, at, sign)
    const kind = `${sign}${canOpen}${whole % 3}`
    let many = whole
    while (canClose && many > 0) {
      const floor = Math.max(brackets.at(-1)?.openers ?? 0, bottoms().get(kind) ?? 0)
      let found = openers.length - 1
      while (found >= floor && !fits(openers[found], sign, whole, canOpen)) found -= 1
      counter.steps += openers.length - found
      const opener = found < floor ? undefined : openers[found]
      if (opener === undefined) {
        bottoms().set(kind, openers.length)
        break
      }
      const used = many >= 2 && opener.many >= 2 ? 2 : 1
      // Nested too deeply: all open runs are given up, so that they are not tried again.
      const isWrapped = wrap(opener, used)
      keepOpeners(isWrapped ? found + (opener.many > 0 ? 1 : 0) : floor)
      if (!isWrapped) break
      many -= used
    }
    if (many === 0) return
    pieces.push(sign.repeat(many))
    if (canOpen) openers.push({ sign, many, whole, canClose, at: pieces.length - 1 })
  }

  const beginLink = (sign: string): void => {
    pieces.push(sign)
    brackets.push({
      at: pieces.length - 1,
      openers: openers.length,
      from: at,
      said: at + sign.length,
    })
    at += sign.length
  }

  /** A `]` ends a link where an address follows, and is a sign like others anywhere else. */
  const endLink = (): void => {
    const bracket = brackets.at(-1)
    const target = bracket && text[at + 1] === '(' ? targetAt(text, at + 2, counter) : undefined
    const href = target && hrefOf(target.address)
    if (bracket !== undefined) {
      keepOpeners(bracket.openers)
      brackets.pop()
    }
    if (bracket === undefined || target === undefined || href === undefined) {
      // The address of a refused link is plain text: signs in it begin no emphasis.
      const end = target?.end ?? at + 1
      put(text.slice(at, end))
      at = end
      return
    }
    counter.steps += pieces.length - bracket.at
    const isImage = text[bracket.from] === '!'
    const said = isImage ? [text.slice(bracket.said, at)] : pieces.slice(bracket.at + 1)
    const inner = said.length === 0 || said[0] === '' ? [href] : said
    const depth = 1 + depthOf(inner, 0)
    pieces.length = bracket.at
    if (depth > DEEPEST) put(text.slice(bracket.from, target.end))
    // No link lies in another: an image in the text of a link is its words.
    else if (isImage && brackets.length > 0) put(text.slice(bracket.said, at))
    else pieces.push({ kind: 'link', href, inner, depth })
    if (!isImage) brackets.length = 0
    at = target.end
  }

  /** An address that stands in the text by itself; false where none begins. */
  const readBare = (): boolean => {
    BARE.lastIndex = at
    const all = BARE.exec(text)?.[0]
    if (all === undefined) return false
    counter.steps += all.length
    const said = withoutEnd(all)
    const href = hrefOf(said)
    if (href === undefined) put(said)
    else pieces.push({ kind: 'link', href, inner: [said], depth: 1 })
    at += said.length
    return true
  }

  const readInAngles = (): boolean => {
    IN_ANGLES.lastIndex = at
    const [all, address, mailbox] = IN_ANGLES.exec(text) ?? []
    const said = address ?? mailbox ?? ''
    const href = hrefOf(address ?? `mailto:${mailbox}`)
    if (all === undefined || href === undefined) return false
    counter.steps += all.length
    pieces.push({ kind: 'link', href, inner: [said], depth: 1 })
    at += all.length
    return true
  }

  /** What a sign that belongs to nothing stands for. */
  const readSign = (): void => {
    const said = wordsAt(text, at)
    put(said?.words ?? text[at] ?? '')
    at += said?.length ?? 1
  }

  const readEscape = (): void => {
    const next = text[at + 1] ?? ''
    const isEscape = ESCAPED.test(next)
    // A backslash at the end of a line breaks it, as the end of the line does.
    if (isEscape || next !== '\n') put(isEscape ? next : '\\')
    at += isEscape ? 2 : 1
  }

  const isAlone = () => brackets.length === 0 && !WORD.test(text[at - 1] ?? '')
  const SIGNS: Record<string, () => void> = {
    '\\': readEscape,
    '`': readCode,
    '*': readRun,
    _: readRun,
    '~': readRun,
    '[': () => beginLink('['),
    '!': () => (text[at + 1] === '[' ? beginLink('![') : readSign()),
    ']': endLink,
    '<': () => void ((brackets.length === 0 && readInAngles()) || readSign()),
    h: () => void ((isAlone() && readBare()) || readSign()),
  }

  while (at < text.length) {
    PLAIN.lastIndex = at
    const plain = PLAIN.exec(text)?.[0] ?? ''
    counter.steps += plain.length + 1
    if (plain !== '') put(plain)
    at += plain.length
    if (at < text.length) (SIGNS[text[at] ?? ''] ?? readSign)()
  }
  return pieces
}

function depthOf(pieces: readonly Inline[], from: number): number {
  let depth = 0
  for (let at = from; at < pieces.length; at += 1) {
    const piece = pieces[at]
    if (typeof piece === 'object' && 'depth' in piece) depth = Math.max(depth, piece.depth)
  }
  return depth
}
