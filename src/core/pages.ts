import { turn } from './clock.ts'

/**
 * Reads a list in pages. Other work has a turn of the event loop between two pages.
 * @param most items of a full page; a shorter page is the last one
 * @param read reads the page behind an item; the first page where that is undefined
 * @returns pages with items
 */
export async function* pagesOf<Item>(
  most: number,
  read: (after: Item | undefined) => Promise<Item[]>,
): AsyncGenerator<Item[], void, undefined> {
  for (let after: Item | undefined; ; ) {
    const items = await read(after)
    if (items.length > 0) yield items
    if (items.length < most) return
    after = items.at(-1)
    await turn()
  }
}
