/** One page of a list. */
export interface Page<T> {
  data: T[]
  /** The cursor of the next page; null on the last one. */
  nextCursor: string | null
}

/** A list. Iterating over it reads its pages one after the other, when they are needed. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: (cursor?: string) => Promise<Page<T>>

  constructor(fetch: (cursor?: string) => Promise<Page<T>>) {
    this.#fetch = fetch
  }

  /** One page: the first one, or that of a `nextCursor`. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#fetch(cursor)
  }

  /** Page after page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#fetch()
    yield page
    while (page.nextCursor !== null) {
      page = await this.#fetch(page.nextCursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  /** The first `count` things; fewer where there are no more. */
  async take(count: number): Promise<T[]> {
    const taken: T[] = []
    if (count <= 0) return taken
    for await (const one of this) if (taken.push(one) >= count) break
    return taken
  }
}
