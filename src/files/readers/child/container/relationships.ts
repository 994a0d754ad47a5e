import { posix } from 'node:path'
import { Refusal } from '../common/refusal.ts'
import { type Attributes, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

/** What a part of an Office document refers to: parts of the same document, never anything outside of it. */
interface Relationship {
  id: string
  /** The last word of its type: `worksheet`, `styles`. */
  type: string
  /** A name in the zip. */
  target: string
}

/** The relationships of a part, or of the document itself (`''`). Those that lead outside are left out, and never followed. */
export async function readRelationships(zip: Zip, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part)
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
  if (!zip.has(name)) return []
  const found: Relationship[] = []
  await parseXml(zip.content(name), {
    open(element, { Id = '', Type = '', Target = '', TargetMode }: Attributes) {
      if (element !== 'Relationship' || TargetMode === 'External') return
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target: resolve(folder, Target) })
    },
  })
  return found
}

/** The part that the document begins with, or the usual one. */
export async function mainPart(zip: Zip, usual: string): Promise<string> {
  const relationships = await readRelationships(zip, '')
  const main = relationships.find(({ type }) => type === 'officeDocument')
  return main !== undefined && zip.has(main.target) ? main.target : usual
}

/**
 * The part that a relationship of one of the types leads to; undefined where there is no such relationship.
 * @throws Refusal corrupt, where there is one and the part is missing: what the document refers to is part of what it says
 */
export function partOfType(zip: Zip, relationships: Relationship[], type: string): string | undefined {
  return partsOfType(zip, relationships, [type])[0]
}

/** All of them in their order, each once. @throws Refusal corrupt, where one is missing */
export function partsOfType(zip: Zip, relationships: Relationship[], types: readonly string[]): string[] {
  const targets = relationships.filter(({ type }) => types.includes(type)).map(({ target }) => target)
  const missing = targets.find((target) => !zip.has(target))
  if (missing !== undefined) throw new Refusal('corrupt', `it lacks ${missing}`)
  return [...new Set(targets)]
}

/** A name in the zip: what climbs out of it is none that it has. */
export function resolve(folder: string, target: string): string {
  return posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1)
}
