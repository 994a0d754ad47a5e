import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inexactNumbers } from './inexact-numbers.ts'

describe('the numbers that reading changes', () => {
  it('are told apart by all of their digits', async () => {
    const texts = [
      '12345678901234567890',
      '12345678901234567891',
      '-12345678901234567890',
      '0.1000000000000000055',
      '1e-999',
      '1e-998',
      '1e400',
      '9007199254740993',
    ]
    const prints = await Promise.all(
      texts.map(async (text) => (await inexactNumbers(`{"a":${text}}`)).join()),
    )
    assert.equal(new Set([...prints, '']).size, texts.length + 1)
  })

  it('are the same however they are written, and in whatever order', async () => {
    const one = await inexactNumbers('{"a":12345678901234567890,"b":[-1.50000000000000000001]}')
    const other = await inexactNumbers(
      '{ "b": [ -150000000000000000001E-20 ], "a": 1234567890123456789.0e+1 }',
    )
    assert.deepEqual(one, other)
    assert.equal(one.length, 2)
  })

  it('are no others: neither texts, nor numbers that are read as they are written', async () => {
    const text =
      '{"12345678901234567890":"\\"12345678901234567891","a":1.50000000000000000000,"b":9007199254740992,"c":1e300,"d":-0.0,"e":1e-999999999,"f":[true,null,0.1]}'
    assert.deepEqual(await inexactNumbers(text), ['1e-999999999'])
  })
})
