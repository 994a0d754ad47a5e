import type { SaxesTagNS } from 'saxes'

/** An element of a document, with its own text: the text of its children is not part of it. */
export interface Element {
  namespace: string
  name: string
  /** Attributes without a namespace, by name. */
  attributes: ReadonlyMap<string, string>
  /** The namespaces that this element declares, by prefix. */
  declared: ReadonlyMap<string, string>
  children: Element[]
  text: string
  parent: Element | undefined
}

/** The document is malformed, or exceeds a limit of `readXml`. */
export class XmlError extends Error {}

/** The largest document that is read, in characters. */
const LARGEST_XML = 256 * 1024

/** Elements within one another; a response has about ten. */
const DEEPEST = 32
/** A response has about fifty, and one for each value of an attribute. */
const MOST_ELEMENTS = 2_500
/** Attributes of one element, declarations of namespaces included. */
const MOST_ATTRIBUTES = 16
const MOST_ATTRIBUTES_IN_ALL = 8_000
/** Namespaces in scope at one element; canonicalization iterates over them. */
const MOST_NAMESPACES = 32

/**
 * Reads a document as a tree. The limits bound the work of every later step. Document types (and so entities and references to fetch),
 * processing instructions and CDATA are refused, because each has made two parsers read one document differently.
 * @param mayHaveComments true: comments are skipped; false: a comment is refused
 * @throws XmlError
 */
export async function readXml(text: string, { mayHaveComments = false } = {}): Promise<Element> {
  if (text.length > LARGEST_XML) throw new XmlError('too large')
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: true, position: false })
  const refuse = (what: string) => () => {
    throw new XmlError(what)
  }
  let root: Element | undefined
  let current: Element | undefined
  let depth = 0
  let elements = 0
  let attributesInAll = 0
  /** Declarations of namespaces of each open element. */
  const declared: number[] = []
  let inScope = 0
  parser.on('error', ({ message }) => {
    throw new XmlError(message)
  })
  parser.on('doctype', refuse('document type'))
  parser.on('processinginstruction', refuse('processing instruction'))
  parser.on('cdata', refuse('CDATA'))
  if (!mayHaveComments) parser.on('comment', refuse('comment'))
  parser.on('opentag', ({ uri, local, attributes }: SaxesTagNS) => {
    depth += 1
    elements += 1
    const all = Object.values(attributes)
    const namespaces = new Map(
      all
        .filter(({ prefix, name }) => prefix === 'xmlns' || name === 'xmlns')
        .map(({ prefix, local, value }): [string, string] => [prefix === '' ? '' : local, value]),
    )
    declared.push(namespaces.size)
    inScope += namespaces.size
    attributesInAll += all.length
    if (depth > DEEPEST || elements > MOST_ELEMENTS) throw new XmlError('too many elements')
    if (all.length > MOST_ATTRIBUTES || attributesInAll > MOST_ATTRIBUTES_IN_ALL)
      throw new XmlError('too many attributes')
    if (inScope > MOST_NAMESPACES) throw new XmlError('too many namespaces')
    const own = new Map(
      all.filter((one) => one.uri === '').map((one): [string, string] => [one.local, one.value]),
    )
    const element: Element = {
      ...{ namespace: uri, name: local, attributes: own, declared: namespaces },
      ...{ children: [], text: '', parent: current },
    }
    current?.children.push(element)
    root ??= element
    current = element
  })
  parser.on('text', (part) => {
    if (current !== undefined) current.text += part
  })
  parser.on('closetag', () => {
    depth -= 1
    inScope -= declared.pop() ?? 0
    current = current?.parent
  })
  parser.write(text).close()
  if (root === undefined) throw new XmlError('no element')
  return root
}

/** The namespaces in scope at an element, by prefix. */
export function namespacesAt(element: Element): Map<string, string> {
  const found = new Map<string, string>()
  for (let at: Element | undefined = element; at !== undefined; at = at.parent)
    for (const [prefix, uri] of at.declared) if (!found.has(prefix)) found.set(prefix, uri)
  return found
}

/** All elements of a tree, in the order of the document. */
export function allOf(root: Element): Element[] {
  const found: Element[] = []
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next)
    waiting.push(...next.children.toReversed())
  }
  return found
}

/** The children of an element that have a name in a namespace. */
export function childrenOf({ children }: Element, namespace: string, name: string): Element[] {
  return children.filter((child) => child.namespace === namespace && child.name === name)
}

/** The trimmed text of an element that has text alone; undefined if it has children or no text. */
export function textOf(element: Element | undefined): string | undefined {
  if (element === undefined || element.children.length > 0) return undefined
  const text = element.text.trim()
  return text === '' ? undefined : text
}

/** Escapes a text for an attribute or for element content. */
export function xmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
