/** Items that are read in pages, in one order. */
interface Pages<Item> {
  /** Reads the page after an item; the first page where it is undefined. */
  read(after: Item | undefined): Promise<Item[]>
  /** Items of a full page; a shorter page is the last one. */
  most: number
  /** Returns true to end the work early. */
  isOver?: () => boolean
}

/**
 * Runs `work` for each item in turn. An item that fails does not stop the items after it.
 * @param failed receives each error with its item
 */
export async function forEachDespiteErrors<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  failed: (error: unknown, item: Item) => void,
): Promise<void> {
  for (const item of items)
    try {
      await work(item)
    } catch (error) {
      failed(error, item)
    }
}

/**
 * As `forEachDespiteErrors`, for a list that is read in pages. Each page begins behind the last item of the page before, so that
 * items whose work fails hold up no later page; the next call reads them again.
 */
export async function forEachPagedDespiteErrors<Item>(
  { read, most, isOver = () => false }: Pages<Item>,
  work: (item: Item) => Promise<unknown>,
  failed: (error: unknown, item: Item) => void,
): Promise<void> {
  for (let after: Item | undefined; !isOver(); ) {
    const items = await read(after)
    await forEachDespiteErrors(items, async (item) => (isOver() ? undefined : work(item)), failed)
    if (items.length < most) return
    after = items.at(-1)
  }
}
