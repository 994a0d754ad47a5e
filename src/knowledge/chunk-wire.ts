import type { Id } from '../core/id.ts'
import type { Tables } from '../db/tables/tables.ts'
import { LocationFields } from '../http/schema/text-page.ts'
import { Type } from '../http/schema/type.ts'
import type { Location } from './deps.ts'

/** The location of a passage in its file or text. */
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

/** The id of a passage in searches, lists and citations. */
export function chunkIdOf(documentId: Id<'document'>, position: number): string {
  return `${documentId}:${position}`
}
