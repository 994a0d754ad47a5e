import { posix } from 'node:path'
import { Refusal } from '../common/refusal.ts'
import { type Attributes, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

/** A reference of a part of an Office document to another part of the same document. */
interface Relationship {
  id: string
  /** The last segment of its type: `worksheet`, `styles`. */
  type: string
  /** A name in the zip. */
  target: string
}

/** Reads the relationships of a part, or of the document itself (`''`). External ones are ignored and never followed. */
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

/** The main part of a document, or `usual` where none is declared. */
export async function mainPart(zip: Zip, usual: string): Promise<string> {
  const relationships = await readRelationships(zip, '')
  const main = relationships.find(({ type }) => type === 'officeDocument')
  return main !== undefined && zip.has(main.target) ? main.target : usual
}

/**
 * The target of the first relationship of a type; undefined where there is none.
 * @throws Refusal corrupt, where the target is missing, because the text would be incomplete
 */
export function partOfType(zip: Zip, relationships: Relationship[], type: string): string | undefined {
  return partsOfType(zip, relationships, [type])[0]
}

/** The targets of all relationships of these types, in order and without duplicates. @throws Refusal corrupt, where one is missing */
export function partsOfType(zip: Zip, relationships: Relationship[], types: readonly string[]): string[] {
  const targets = relationships.filter(({ type }) => types.includes(type)).map(({ target }) => target)
  const missing = targets.find((target) => !zip.has(target))
  if (missing !== undefined) throw new Refusal('corrupt', `it lacks ${missing}`)
  return [...new Set(targets)]
}

/** Resolves a target to a name in the zip. A path cannot leave the zip's root. */
export function resolve(folder: string, target: string): string {
  return posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1)
}
