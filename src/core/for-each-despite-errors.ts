/** How the items of a piece of work are read: in pages, in one order. */
interface Pages<Item> {
  /** Reads the page behind an item; the first page where it is undefined. */
  read(after: Item | undefined): Promise<Item[]>
  /** Items of a page; a shorter page is the last one. */
  most: number
  /** Whether the work is to end early. */
  isOver?: () => boolean
}

/**
 * Does work for one item after the other. An item whose work fails does not hold up the items behind it.
 * @param failed gets each error with its item
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
