import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Id, newId } from '#src/core/id.ts'
import { createSchemaLookup } from '#src/webhooks/events/event-type-store.ts'
import { useDatabase } from '../support/database.ts'
import { statementsOf } from '../support/statements.ts'
import { onBothEngines } from '../support/store.ts'

const NOW = 1_795_000_000_000
const CROWD = 64

onBothEngines('the schema of a custom event type', (engine) => {
  const open = useDatabase(engine)

  /** An organization with two event types, whose schemas name them. */
  async function organization() {
    const { tx } = await open()
    const id = newId('organization', NOW)
    await tx(async (tx) => {
      await tx
        .insertInto('organization')
        .values({ id, name: id, plan: 'free', flags: '{}', created_at: NOW })
        .execute()
      for (const name of ['order.paid', 'order.sent'])
        await tx
          .insertInto('event_type')
          .values({
            ...{ organization_id: id, name, description: '', example: '{}', created_at: NOW },
            schema: JSON.stringify({ title: `${name} of ${id}` }),
          })
          .execute()
    })
    return id
  }

  const titleOf = (schema: string | undefined) => schema && JSON.parse(schema).title

  it('is found for each organization and type by look-ups that share a query', async () => {
    const find = createSchemaLookup(await open())
    const organizations = [await organization(), await organization()]
    const wanted = Array.from({ length: CROWD }, (_, index) => ({
      id: organizations[index % 2] as Id<'organization'>,
      type: ['order.paid', 'order.sent', 'order.lost', 'order.paid" {}\\,'][index % 4] as string,
    }))
    const findAll = () => Promise.all(wanted.map(({ id, type }) => find(id, type)))
    const found = await findAll()
    for (const [index, { id, type }] of wanted.entries())
      assert.equal(titleOf(found[index]), index % 4 < 2 ? `${type} of ${id}` : undefined)
    if (engine === 'postgres') assert.equal(await statementsOf(findAll), 1)
  })

  it('is the one of the last commit before the look-up', async () => {
    const database = await open()
    const find = createSchemaLookup(database)
    const id = await organization()
    const changes = [`{"title":"second"}`, `{"title":"third"}`]
    for (const schema of changes) {
      const early = find(id, 'order.paid')
      await database.tx((tx) =>
        tx
          .updateTable('event_type')
          .set({ schema })
          .where('organization_id', '=', id)
          .where('name', '=', 'order.paid')
          .execute(),
      )
      assert.equal(await find(id, 'order.paid'), schema)
      await early
    }
    await database.tx((tx) => tx.deleteFrom('event_type').where('organization_id', '=', id).execute())
    assert.equal(await find(id, 'order.paid'), undefined)
  })
})
