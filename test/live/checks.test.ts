import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE, SECOND } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import type { Principal } from '#src/http/principal.ts'
import { createJournal, KEPT } from '#src/live/journal.ts'
import { createReaders } from '#src/live/readers.ts'
import { testClock } from '../support/clock.ts'
import { useDatabase } from '../support/database.ts'
import { onBothEngines } from '../support/store.ts'
import { until } from '../support/waits.ts'

it('rights that end while all are asked for theirs are asked for once more, by those who were asked before', async () => {
  const clock = testClock()
  const principal = { kind: 'apiKey', organizationId: newId('organization', clock.now()) } as Principal
  let [asked, hasRight, raise, answer] = [0, true, () => {}, () => {}]
  const readers = createReaders({
    clock,
    database: { shared: true },
    log: { error: () => assert.fail('nothing fails') },
    rightsCheck: {
      onChange: (then) => {
        raise = then
      },
      endOf: () => undefined,
      async whoNow() {
        asked += 1
        const found = hasRight ? principal : undefined
        // The first question is long under way.
        if (asked === 1) await new Promise<void>((resolve) => (answer = resolve))
        return found
      },
    },
  })
  const raw = new EventEmitter()
  const reply = { raw, header: () => reply, code: () => reply, send: () => reply } as unknown as FastifyReply
  const stream = readers.open({ principal } as FastifyRequest, reply)
  let isOver = false
  stream.onOver(() => {
    isOver = true
  })
  // What is asked every half minute is not what is looked at here.
  using _ = clock.stop()
  raise()
  clock.advance(5 * SECOND)
  await until(
    () => asked,
    (times) => times === 1,
    { what: 'the first question' },
  )
  hasRight = false
  raise()
  clock.advance(5 * SECOND)
  answer()
  await until(
    () => isOver,
    (is) => is,
    { what: 'the end of the stream' },
  )
})

onBothEngines('the journal of live streams', (engine) => {
  const fresh = useDatabase(engine)

  it('keeps what was written down for who comes to watch while what is old is removed', async () => {
    const database = await fresh()
    const clock = testClock()
    const id = newId('organization', clock.now())
    await database.tx((tx) =>
      tx
        .insertInto('organization')
        .values({ id, name: id, plan: 'unlimited', flags: '{}', created_at: clock.now(), deleted_at: null })
        .execute(),
    )
    const append = (now: number) => journal.append(new Map([[id, new Map([['gap', 'gap'] as const])]]), now)
    const journal = createJournal(database, new Map())
    const began = clock.now()
    await journal.watch(id, began)
    await append(began)
    const later = began + KEPT + MINUTE
    let place = 0
    const background = {
      ...database.background,
      // A reader comes between the search for old streams and their removal.
      async tx(work: Parameters<typeof database.background.tx>[0]) {
        place = (await journal.watch(id, later)).last
        await append(later)
        return database.background.tx(work)
      },
    }
    await createJournal({ ...database, background } as typeof database, new Map()).clear(later)
    assert.ok(place > 0, 'something was old')
    const { changes } = await journal.read(id, place, 10)
    assert.equal(changes.length, 1)
  })
})
