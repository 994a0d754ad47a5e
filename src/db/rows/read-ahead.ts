/**
 * Reads the beginning of a stream of pieces.
 * @param size the least number of bytes to read ahead
 * @returns whether the stream has that many bytes, and all of its pieces; a reader that stops early closes
 * `pieces`
 * @throws the error of `pieces`
 */
export async function readAhead(
  pieces: AsyncIterable<Buffer>,
  size: number,
): Promise<{ isLonger: boolean; pieces: AsyncIterable<Buffer> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let read = 0
  while (read < size) {
    const next = await iterator.next()
    if (next.done) break
    first.push(next.value)
    read += next.value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* first
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return { isLonger: read >= size, pieces: all() }
}
