/**
 * Does work for one item after the other. An item whose work fails does not hold up the items behind it.
 * @param failed gets each error with its item
 * @returns how many items failed
 */
export async function attendEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  failed: (error: unknown, item: Item) => void,
): Promise<number> {
  let failures = 0
  for (const item of items)
    try {
      await work(item)
    } catch (error) {
      failures += 1
      failed(error, item)
    }
  return failures
}
