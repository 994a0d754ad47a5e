import { passageTerms } from '../../core/text/terms.ts'
import type { Database } from '../../db/database.ts'
import { textGroupOf } from './staged-version.ts'

/** Chunks of one transaction. */
const BATCH_SIZE = 500

/**
 * Rebuilds the text index of all chunks, for example after a copy of the rows, which leaves the index out.
 * @param report called with the number of indexed chunks
 */
export async function rebuildTextIndex(
  { db, tx, textIndex }: Pick<Database, 'db' | 'tx' | 'textIndex'>,
  report: (done: number) => void,
): Promise<void> {
  await tx((tx) => textIndex.clear(tx))
  for (let [after, done] = [0, 0]; ; ) {
    const chunks = await db
      .selectFrom('chunk')
      .leftJoin('document', 'document.id', 'chunk.document_id')
      .select(['chunk.id', 'chunk.knowledge_base_id', 'chunk.version', 'text', 'sheet', 'heading'])
      .select(['document.version as documentVersion', 'name', 'next_name'])
      .where('chunk.id', '>', after)
      .orderBy('chunk.id')
      .limit(BATCH_SIZE)
      .execute()
    if (chunks.length === 0) return
    await tx((tx) =>
      textIndex.add(
        tx,
        chunks.map((chunk) => ({
          id: chunk.id,
          group: textGroupOf(chunk.knowledge_base_id),
          ...passageTerms({
            text: chunk.text,
            heading: chunk.heading,
            sheet: chunk.sheet,
            // A version that is being indexed has the name of the replacement.
            name: (chunk.version === chunk.documentVersion ? null : chunk.next_name) ?? chunk.name ?? '',
          }),
        })),
      ),
    )
    after = chunks.at(-1)?.id ?? after
    done += chunks.length
    report(done)
  }
}
