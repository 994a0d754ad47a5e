import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { IS_NIGHTLY, nightly } from './nightly.ts'
import { startPostgres } from './postgres.ts'
import { copyDatabase, copyFolder, dropUnused, onServer } from './template.ts'

export type EngineName = 'sqlite' | 'postgres'
/** Both, unless who runs a part of the tests over and over asks for one. */
export const ENGINES = (process.env.POSTERN_TEST_ENGINES ?? 'sqlite,postgres').split(',') as EngineName[]

/** Runs the same tests on both engines. A test does not know its engine. */
export function onBothEngines(name: string, define: (engine: EngineName) => void): void {
  for (const engine of ENGINES) describe(`${name} (${engine})`, () => define(engine))
}

/**
 * As `onBothEngines` at night, and on the first engine only by day: for behaviour that needs no store, or the same statements on both,
 * so that the second engine would repeat the result.
 */
export function onOneEngineByDay(name: string, define: (engine: EngineName) => void): void {
  for (const engine of nightly(ENGINES, ENGINES.slice(0, 1)))
    describe(`${name} (${engine})`, () => define(engine))
}

/**
 * For the tests of a suite on both engines for which one is enough by day, as for `onOneEngineByDay`.
 * @returns `it`, which declares a test for the engines on which `onOneEngineByDay` runs a whole suite, and for no other
 */
export function testOnOneEngineByDay(
  engine: EngineName,
): (name: string, body: () => Promise<void> | void) => void {
  const runs = IS_NIGHTLY || engine === ENGINES[0]
  return (name, body) => {
    if (runs) it(name, body)
  }
}

const cleanups: (() => Promise<void> | void)[] = []
const databases: string[] = []
after(async () => {
  const server = process.env.POSTERN_TEST_POSTGRES
  if (server !== undefined && databases.length > 0) await dropUnused(server, databases)
  for (const cleanup of cleanups.reverse()) await cleanup()
})

/** Settings that name an empty store of the engine. */
export async function freshStore(engine: EngineName): Promise<Record<string, string>> {
  const folder = freshFolder()
  if (engine === 'sqlite') return folder
  const server = await postgresUrl()
  const name = newName()
  await onServer(server, `create database ${name}`)
  return { ...folder, DATABASE_URL: `${server}/${name}` }
}

/** As `freshStore`, but a copy of an empty store with today's schema: for tests that are not about migrations. */
export async function readyStore(engine: EngineName): Promise<Record<string, string>> {
  const folder = freshFolder()
  if (engine === 'sqlite') {
    await copyFolder(folder.DATA_DIR)
    return folder
  }
  const server = await postgresUrl()
  const name = newName()
  await copyDatabase(server, name)
  return { ...folder, DATABASE_URL: `${server}/${name}` }
}

function freshFolder(): { DATA_DIR: string } {
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return { DATA_DIR: folder }
}

function newName(): string {
  const name = `t_${crypto.randomUUID().replaceAll('-', '')}`
  databases.push(name)
  return name
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
