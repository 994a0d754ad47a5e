import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { LIMITS } from '../common/limits.ts'
import { Refusal } from '../common/refusal.ts'

export type Attributes = Readonly<Record<string, string>>

/** What is done with an XML document while it is read; names come without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

const UTF16_MARKS: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' }

/**
 * Parses a document as it comes.
 * @throws Refusal, for a document type (the one way to make a small document large), and for nodes too long or too deep
 * @throws Error where it is not well-formed
 */
export async function parseXml(content: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false })
  let depth = 0
  /** Characters since something was understood: the parser gathers them without a limit of its own. */
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
  parser.on('doctype', () => {
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
  return new TextDecoder(UTF16_MARKS[first.toString('hex', 0, 2)] ?? 'utf-8', { fatal: true })
}

/** An attribute by its name without prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const plain = attributes[name]
  if (plain !== undefined) return plain
  const prefixed = Object.keys(attributes).find((key) => key.endsWith(`:${name}`))
  return prefixed === undefined ? undefined : attributes[prefixed]
}
