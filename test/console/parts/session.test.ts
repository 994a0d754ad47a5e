import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ROUTES } from '#sdk/routes.gen.ts'

/** Imported by its path, because the console's modules are compiled with other settings, for browsers. */
const FILE = new URL('../../../console/app/data/session.ts', import.meta.url).href
const OPERATIONS = new URL('../../../console/app/data/operations.ts', import.meta.url).href

interface Module {
  session: { get(): object; set(value: object): void }
  end(): void
  openSession(): Promise<void>
}

it('says that one has signed out also when calls that were under way are refused afterwards', async () => {
  const { session, end } = (await import(FILE)) as Module
  session.set({ state: 'in', person: {} })
  end()
  end()
  assert.deepEqual(session.get(), { state: 'out', wasIn: true })
})

it('is not opened again by an answer that was given before it ended', async (t) => {
  const { session, end, openSession } = (await import(FILE)) as Module
  const { addRoutes } = (await import(OPERATIONS)) as { addRoutes(more: object): void }
  // As the server writes it into the module.
  addRoutes({ 'sessions.current': (ROUTES.sessions as Record<string, string>).current })
  const held = Promise.withResolvers<Response>()
  t.mock.method(globalThis, 'fetch', () => held.promise)
  session.set({ state: 'in', person: {} })
  const opened = openSession()
  end()
  held.resolve(Response.json({ user: { id: 'acc_1' }, session: {} }))
  await opened
  assert.deepEqual(session.get(), { state: 'out', wasIn: true })
})
