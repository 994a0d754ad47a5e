import { fromIso, MINUTE, type Millis } from '../../core/clock.ts'
import { type Element, readXml, XmlError } from './read-xml.ts'
import { refused } from './refused.ts'

/** How far two clocks may differ. */
export const SKEW: Millis = 3 * MINUTE

/**
 * The bytes of a message that travels as base64.
 * @throws ApiError UNAUTHORIZED `not_base64`
 */
export function bytesOf(encoded: string): Buffer {
  const plain = encoded.replaceAll(/[\r\n\t ]/g, '')
  const bytes = Buffer.from(plain, 'base64')
  // The padding may be left out.
  const isBase64 = [bytes.toString('base64'), bytes.toString('base64').split('=', 1)[0]].includes(plain)
  if (plain === '' || !isBase64) throw refused('not_base64')
  return bytes
}

/** @throws ApiError UNAUTHORIZED `not_xml` for bytes that are not UTF-8 */
export function textIn(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n')
  } catch {
    throw refused('not_xml')
  }
}

/** @throws ApiError UNAUTHORIZED `not_xml` */
export async function treeOf(text: string): Promise<Element> {
  try {
    return await readXml(text)
  } catch (error) {
    if (error instanceof XmlError) throw refused('not_xml')
    throw error
  }
}

export const isNamed = (element: Element, namespace: string, name: string) =>
  element.namespace === namespace && element.name === name

/** @throws ApiError UNAUTHORIZED `duplicate_id` where two elements have one id */
export function mustDiffer(all: readonly Element[]): void {
  const ids = all.flatMap(({ attributes }) =>
    ['ID', 'Id', 'id'].flatMap((name) => attributes.get(name) ?? []),
  )
  if (new Set(ids).size !== ids.length) throw refused('duplicate_id')
}

/**
 * Checks that `now` is within the validity of an element.
 * @param end the name of the attribute with the end of the validity
 * @throws ApiError UNAUTHORIZED `not_yet`, `expired`
 */
export function checkTimes(attributes: ReadonlyMap<string, string>, end: string, now: Millis): void {
  const from = attributes.get('NotBefore')
  const until = attributes.get(end)
  if (from !== undefined && !((instantOf(from) ?? Number.NaN) <= now + SKEW)) throw refused('not_yet')
  if (until !== undefined && !((instantOf(until) ?? Number.NaN) > now - SKEW)) throw refused('expired')
}

/** Parses a time in UTC (SAML Core 1.3.3). */
export function instantOf(text = ''): Millis | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) return undefined
  return fromIso(text)
}
