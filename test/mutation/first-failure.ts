import type { TestEvent } from 'node:test/reporters'

/** A reporter that ends the process at the first test that fails: one is enough to notice a change. */
// biome-ignore lint/style/noDefaultExport: a reporter of Node is the default export of its file.
export default async function* endAtFirstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type } of events) if (type === 'test:fail') process.exit(1)
  yield ''
}
