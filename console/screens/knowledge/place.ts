import type { DocumentChunk } from '#sdk/postern.ts'
import { textOf } from '../../app/words.ts'

/** Where in its document a passage stands, in words. */
export function placeOf({ page, sheet, heading }: DocumentChunk['location']): string {
  return [
    page !== undefined && `page ${page}`,
    sheet !== undefined && `sheet ${textOf(sheet)}`,
    heading && textOf(heading),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The position of a passage in its document: the number at the end of its id. */
export function positionOf(chunkId: string): string {
  return chunkId.slice(chunkId.lastIndexOf(':') + 1)
}
