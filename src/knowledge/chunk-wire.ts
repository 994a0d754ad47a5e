import type { Id } from '../core/id.ts'
import type { Tables } from '../db/tables/tables.ts'
import { LocationFields } from '../http/schema/text-page.ts'
import { Type } from '../http/schema/type.ts'
import type { Location } from './deps.ts'

/** Where in its file or text a passage stands. */
export const LocationSchema = Type.Object(LocationFields)

export function locationOf({
  page,
  sheet,
  heading,
}: Pick<Tables['chunk'], 'page' | 'sheet' | 'heading'>): Location {
  return {
    ...(page === null ? {} : { page }),
    ...(sheet === null ? {} : { sheet }),
    ...(heading === null ? {} : { heading }),
  }
}

/** By which name a passage is found, listed and cited. */
export function chunkIdOf(documentId: Id<'document'>, position: number): string {
  return `${documentId}:${position}`
}
