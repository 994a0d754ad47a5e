import pg from 'pg'

/** Runs `work`. @returns the number of statements that this process has sent to PostgreSQL during it */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype
  let count = 0
  pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
    count += 1
    return (query as (...asked: unknown[]) => unknown).apply(this, asked)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return count
}
