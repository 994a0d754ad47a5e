import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newId } from '#src/core/id.ts'

/** Imported by its path, because the console's modules are compiled with other settings, for browsers. */
const read = async <T>(file: string) =>
  (await import(new URL(`../../../console/app/${file}`, import.meta.url).href)) as T

it('leads from each kind of id to a screen that is there', async () => {
  const { PLACES_OF_IDS, pathOfId } = await read<{
    PLACES_OF_IDS: Record<string, string>
    pathOfId(text: string): { id: string; path: string } | undefined
  }>('ids.ts')
  const { screenAt } = await read<{ screenAt(path: string): { params: { id?: string } } | undefined }>(
    'screens.ts',
  )
  const uuid = newId('webhook', 1_795_000_000_000).slice('whk_'.length)
  assert.ok(Object.keys(PLACES_OF_IDS).length > 10)
  for (const [prefix, place] of Object.entries(PLACES_OF_IDS)) {
    const id = `${prefix}_${uuid}`
    const found = pathOfId(`seen in a text: ${id}.`)
    assert.equal(found?.id, id)
    const screen = screenAt(found?.path ?? '')
    assert.ok(screen, `${found?.path} is no screen`)
    // Of some kinds there is a list alone.
    if (place.includes('*'))
      assert.ok(Object.values(screen.params).includes(id), `${found?.path} is of no id`)
  }
  assert.equal(pathOfId(`org_${uuid}`), undefined)
  assert.equal(screenAt('/nothing/here'), undefined)
})
