import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'
import { partsOf } from '../common/writer.ts'

export type Attributes = Readonly<Record<string, string>>

/** Receives the events of an XML parser; names are without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/** Characters that are parsed at once. */
const PART = 64 * 1024
const UTF16_MARKS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' }
const DECLARED = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i

/**
 * Parses an XML document as a stream.
 * @param mayHaveType whether a document type is allowed. One with declarations is always refused, because entities could expand a
 * small document to a large one
 * @throws Refusal, for a forbidden document type, and for nodes that are too long or too deep
 * @throws Error where it is not well-formed
 */
export async function parseXml(
  content: AsyncIterable<Buffer>,
  handler: XmlHandler,
  mayHaveType = false,
): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false })
  let depth = 0
  /** Characters since the last event: the parser buffers without a limit. */
  let since = 0

  parser.on('opentag', (tag: SaxesTagPlain) => {
    since = 0
    depth += 1
    if (depth > LIMITS.depth) throw new Refusal('too_large', 'elements too deep within one another')
    handler.open?.(localName(tag.name), tag.attributes)
  })
  parser.on('closetag', ({ name }: SaxesTagPlain) => {
    since = 0
    depth -= 1
    handler.close?.(localName(name))
  })
  function take(text: string): void {
    since = 0
    if (text.length > LIMITS.node) throw tooLong()
    handler.text?.(text)
  }
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('doctype', (type) => {
    if (mayHaveType && !type.includes('[')) return
    throw new Refusal('corrupt', 'it has a document type')
  })

  let decoder: TextDecoder | undefined
  for await (const chunk of content) {
    decoder ??= decoderFor(chunk)
    const text = decoder.decode(chunk, { stream: true })
    parser.write(text)
    since += text.length
    if (since > LIMITS.node) throw tooLong()
  }
  parser.write(decoder?.decode() ?? '').close()
}

function tooLong(): Refusal {
  return new Refusal('too_large', 'a node of more than 1 MiB')
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

function decoderFor(first: Buffer): TextDecoder {
  const marked = UTF16_MARKS[first.toString('hex', 0, 2)]
  const declared = DECLARED.exec(first.toString('latin1', 0, 300))?.[1]
  try {
    return new TextDecoder(marked ?? declared ?? 'utf-8', { fatal: true })
  } catch {
    throw new Refusal('encoding', 'its letters are written in a way that is not known')
  }
}

/** A text as input of `parseXml`. The byte order mark makes it UTF-8, regardless of its XML declaration. */
export async function* contentOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from('\ufeff')
  for (const part of partsOf(text, PART)) yield Buffer.from(part)
}

/** The value of an attribute by its name without prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const plain = attributes[name]
  if (plain !== undefined) return plain
  const prefixed = Object.keys(attributes).find((key) => key.endsWith(`:${name}`))
  return prefixed === undefined ? undefined : attributes[prefixed]
}
