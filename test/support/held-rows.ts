import { connectTo, withLineOf } from './locks.ts'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

/**
 * Rows of PostgreSQL that a connection of the test locks, so that the test decides the order of concurrent
 * requests: they wait for the rows one behind the other, and are released together.
 */
export interface HeldRows {
  /** Begins a request and waits until it stands in line: `count` of them then do. */
  lineUp<T>(work: () => Promise<T>): Promise<{ answer: Promise<T> }>
  /** Releases the requests in their order of arrival. A second call does nothing. */
  release(): Promise<void>
  /** Deletes the rows, with everything that refers to them, and then releases the requests. */
  remove(): Promise<void>
  /** Runs a statement that commits when the requests are released. */
  change(statement: string, parameters: unknown[]): Promise<void>
}

/** @param condition of the rows of `table`, with its values, e.g. `id = $1` */
export async function holdRows(
  postern: Pick<Postern, 'env'>,
  table: string,
  condition: string,
  values: unknown[],
): Promise<HeldRows> {
  const [holder, observer] = [await connectTo(postern), await connectTo(postern)]
  await holder.query('begin')
  const held = await holder.query(`select 1 from ${table} where ${condition} for update`, values)
  if (held.rowCount === 0) throw new Error(`no row of ${table} to hold`)
  let inLine = 0
  let isOver = false
  const { pid } = (await holder.query('select pg_backend_pid() as pid')).rows[0]
  // If sessions that wait for other locks were counted, the next request would be sent too early.
  const waiting = `${withLineOf(Number(pid))} select count(*)::int as count from line`
  async function end(how: 'commit' | 'rollback'): Promise<void> {
    if (isOver) return
    isOver = true
    await holder.query(how)
    await Promise.all([holder.end(), observer.end()])
  }
  async function change(statement: string, parameters: unknown[]): Promise<void> {
    await holder.query(statement, parameters)
    await end('commit')
  }
  return {
    async lineUp(work) {
      inLine += 1
      const answer = work()
      // A request that fails at once must not end the test before its answer is awaited.
      answer.catch(() => {})
      await until(
        async () => Number((await observer.query(waiting)).rows[0].count),
        (count) => count >= inLine,
        { what: `${inLine} requests that wait for the held rows of ${table}` },
      )
      return { answer }
    },
    release: () => end('rollback'),
    remove: () => change(`delete from ${table} where ${condition}`, values),
    change,
  }
}

/** Runs two requests, the second right behind the first: both begin before either has an answer. */
export async function inOrder<First, Second>(
  postern: Postern,
  table: string,
  id: string,
  [first, second]: [() => Promise<First>, () => Promise<Second>],
): Promise<[First, Second]> {
  const column = table === 'credit_account' ? 'organization_id' : 'id'
  const rows = await holdRows(postern, table, `${column} = $1`, [id])
  try {
    const answers = [await rows.lineUp(first), await rows.lineUp(second)] as const
    await rows.release()
    return [await answers[0].answer, await answers[1].answer]
  } finally {
    await rows.release()
  }
}
