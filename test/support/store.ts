import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres.ts'

export type EngineName = 'sqlite' | 'postgres'
/** Both, unless who runs a part of the tests over and over asks for one. */
export const ENGINES = (process.env.POSTERN_TEST_ENGINES ?? 'sqlite,postgres').split(',') as EngineName[]

/** Runs the same tests on both engines; none of them knows which one it runs on. */
export function onBothEngines(name: string, define: (engine: EngineName) => void): void {
  for (const engine of ENGINES) describe(`${name} (${engine})`, () => define(engine))
}

const cleanups: (() => Promise<void> | void)[] = []
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

/** Settings that name an empty store of the engine. */
export async function freshStore(engine: EngineName): Promise<Record<string, string>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  if (engine === 'sqlite') return { DATA_DIR: dataDir }
  const server = await postgresUrl()
  const name = `t_${crypto.randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name}`)
  return { DATA_DIR: dataDir, DATABASE_URL: `${server}/${name}` }
}

let ownServer: Promise<string> | undefined

/** The server of the whole run, or one of this file's own where the file runs alone. */
function postgresUrl(): Promise<string> {
  const shared = process.env.POSTERN_TEST_POSTGRES
  if (shared !== undefined) return Promise.resolve(shared)
  ownServer ??= startPostgres().then((server) => {
    cleanups.unshift(() => server.stop())
    return server.url
  })
  return ownServer
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
