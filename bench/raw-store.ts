import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** The smallest store of a sender: events to send, and that they were sent. Each call is one durable commit. */
export interface RawStore {
  insert(bodies: Buffer[]): Promise<number[]>
  settle(ids: number[]): Promise<void>
  close(): Promise<void>
}

/** The file that it makes in its folder. */
export const RAW_FILE = 'raw.db'

/** @param place a folder, for SQLite, or the URL of a PostgreSQL database */
export async function openRawStore(place: string): Promise<RawStore> {
  return place.startsWith('postgres:') ? postgresStore(place) : sqliteStore(place)
}

/** Rows of one statement. */
const MANY = 50

function sqliteStore(folder: string): RawStore {
  const database = new DatabaseSync(join(folder, RAW_FILE))
  database.exec(`pragma journal_mode=wal; pragma synchronous=full;
    create table event (id integer primary key, body blob not null, done integer) strict`)
  const insert = database.prepare('insert into event (body) values (?)')
  const insertMany = database.prepare(`insert into event (body) values ${Array(MANY).fill('(?)')}`)
  const settle = database.prepare('update event set done = 1 where id = ?')
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]
  return {
    async insert(bodies) {
      begin.run()
      const ids: number[] = []
      let next = 0
      for (; next + MANY <= bodies.length; next += MANY) {
        const last = Number(insertMany.run(...bodies.slice(next, next + MANY)).lastInsertRowid)
        for (let id = last - MANY + 1; id <= last; id += 1) ids.push(id)
      }
      for (const body of bodies.slice(next)) ids.push(Number(insert.run(body).lastInsertRowid))
      commit.run()
      return ids
    },
    async settle(ids) {
      begin.run()
      for (const id of ids) settle.run(id)
      commit.run()
    },
    close: async () => database.close(),
  }
}

async function postgresStore(url: string): Promise<RawStore> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  await pool.query(
    'create table raw_event (id bigint generated always as identity primary key, body bytea not null, done integer)',
  )
  return {
    async insert(bodies) {
      // A prepared statement for each length, because pg sends an array parameter as text.
      const { rows } = await pool.query<{ id: string }>({
        name: `insert ${bodies.length}`,
        text: `insert into raw_event (body) values ${bodies.map((_, index) => `($${index + 1})`)} returning id`,
        values: bodies,
      })
      return rows.map(({ id }) => Number(id))
    },
    async settle(ids) {
      await pool.query({
        name: 'settle',
        text: 'update raw_event set done = 1 where id = any($1::bigint[])',
        values: [ids],
      })
    },
    close: () => pool.end(),
  }
}
