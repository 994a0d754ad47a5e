import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSymbolProperty } from './symbol-property.ts'

describe('a symbol property', () => {
  it('has the value that was set last, in each object for itself', () => {
    const property = createSymbolProperty<object, number>()
    const [one, other] = [{}, {}]
    property.set(one, 1)
    property.set(one, 2)
    assert.deepEqual(
      [property.of(one), property.of(other), createSymbolProperty().of(one)],
      [2, undefined, undefined],
    )
  })
})
