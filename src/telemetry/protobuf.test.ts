import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createProtobufWriter } from './protobuf.ts'

const writer = createProtobufWriter()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** A number in the form of the protocol, calculated in another way. */
function varint(value: bigint): string {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  return rest === 0n ? hex(Uint8Array.of(low)) : hex(Uint8Array.of(low | 0x80)) + varint(rest)
}

describe('fields of Protocol Buffers', () => {
  it('hold integers of any size', () => {
    for (const value of [
      0,
      1,
      127,
      128,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 35 + 5,
      Number.MAX_SAFE_INTEGER,
    ]) {
      writer.integer(1, value)
      assert.equal(hex(writer.take()), `08${varint(BigInt(value))}`)
    }
  })

  it('hold texts of any letters and lengths', () => {
    for (const text of [
      '',
      'plain',
      'Žluťoučký 🏮',
      ...[42, 43].flatMap((length) => ['a', 'é', 'ア'].map((letter) => letter.repeat(length))),
      'a'.repeat(127),
      'a'.repeat(10_000),
      'é'.repeat(10_000),
    ]) {
      writer.text(2, text)
      assert.equal(
        hex(writer.take()),
        `12${varint(BigInt(Buffer.byteLength(text)))}${hex(Buffer.from(text))}`,
      )
    }
  })

  it('hold moments to the nanosecond', () => {
    for (const [whole, part] of [
      [0, 0],
      [1_795_852_800_000, 0.25],
      [1_795_852_800_123, 0.5],
      [4_102_444_799_999, 0.75],
    ] as const) {
      writer.nanos(1, whole + part)
      const expected = BigInt(whole) * 1_000_000n + BigInt(part * 1_000_000)
      assert.equal(Buffer.from(writer.take()).readBigUInt64LE(1), expected)
    }
  })

  it('hold messages of any length within one another, and what names a trace', () => {
    for (const length of [0, 1, 120, 121, 122, 123, 124, 125, 126, 127, 128, 16_381, 16_384, 20_000]) {
      const outer = writer.begin(3)
      writer.integer(1, 5)
      const inner = writer.begin(2)
      writer.text(1, 'b'.repeat(length))
      writer.end(inner)
      writer.end(outer)
      writer.head(4, length)
      const lengthOf = (digits: string) => varint(BigInt(digits.length / 2))
      const text = `0a${varint(BigInt(length))}${'62'.repeat(length)}`
      const message = `080512${lengthOf(text)}${text}`
      assert.equal(hex(writer.take()), `1a${lengthOf(message)}${message}22${varint(BigInt(length))}`)
    }
    writer.hex(4, '00ff7a9d')
    assert.equal(hex(writer.take()), '220400ff7a9d')
  })
})
