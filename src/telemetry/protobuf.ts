import type { Millis } from '../core/clock.ts'

/** Writes messages of Protocol Buffers one after another into memory that it uses again. */
export interface ProtobufWriter {
  text(field: number, value: string): void
  /** Bytes as hexadecimal digits. */
  hex(field: number, digits: string): void
  /** An integer that is not negative, in as few bytes as it takes. */
  integer(field: number, value: number): void
  fixed32(field: number, value: number): void
  double(field: number, value: number): void
  /** A moment as nanoseconds of 64 bits. */
  nanos(field: number, moment: Millis): void
  /** Begins a message. @returns its place, for `end` */
  begin(field: number): number
  end(place: number): void
  /** Writes the tag and the length before a message. */
  head(field: number, length: number): void
  /** Fields that were written before. */
  append(fields: Uint8Array): void
  /** Returns a copy of the bytes written since the last call. */
  take(): Uint8Array<ArrayBuffer>
}

/** How the value of a field is written. */
const [VARINT, FIXED_64, DELIMITED, FIXED_32] = [0, 1, 2, 5]

/** Memory of a writer at the beginning, in bytes. */
const FIRST = 4_096
/** Bytes of the largest number. */
const VARINT_BYTES = 10
const [LOW_BITS, MORE, TWO_TO_32] = [0x7f, 0x80, 2 ** 32]
/** The most bytes of UTF-8 for a unit of a text; a text of fewer units has a length of one byte. */
const UNIT_BYTES = 3
const SHORT = Math.ceil(MORE / UNIT_BYTES)
const NANOS = 1_000_000
const HALF = 2 ** 16

export function createProtobufWriter(): ProtobufWriter {
  let bytes = Buffer.allocUnsafeSlow(FIRST)
  let at = 0

  function reserve(count: number): void {
    if (at + count <= bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, at + count))
    bytes.copy(larger, 0, 0, at)
    bytes = larger
  }

  function varint(value: number): void {
    let rest = value
    // The operators on bits take 32 of them.
    while (rest >= TWO_TO_32) {
      bytes[at++] = (rest % MORE) | MORE
      rest = Math.floor(rest / MORE)
    }
    while (rest > LOW_BITS) {
      bytes[at++] = (rest & LOW_BITS) | MORE
      rest >>>= 7
    }
    bytes[at++] = rest
  }

  /** Bytes of a number. */
  function lengthOf(value: number): number {
    let [rest, count] = [value, 1]
    for (; rest > LOW_BITS; rest = Math.floor(rest / MORE)) count += 1
    return count
  }

  function tag(field: number, kind: number, count: number): void {
    reserve(VARINT_BYTES + count)
    varint((field << 3) | kind)
  }

  function append(fields: Uint8Array): void {
    reserve(fields.length)
    bytes.set(fields, at)
    at += fields.length
  }

  return {
    text(field, value) {
      tag(field, DELIMITED, VARINT_BYTES + value.length * UNIT_BYTES)
      if (value.length >= SHORT) {
        varint(Buffer.byteLength(value))
        at += bytes.write(value, at)
        return
      }
      const length = bytes.write(value, at + 1)
      bytes[at] = length
      at += 1 + length
    },
    hex(field, digits) {
      tag(field, DELIMITED, VARINT_BYTES + digits.length)
      varint(digits.length / 2)
      at += bytes.write(digits, at, 'hex')
    },
    integer(field, value) {
      tag(field, VARINT, VARINT_BYTES)
      varint(value)
    },
    fixed32(field, value) {
      tag(field, FIXED_32, 4)
      at = bytes.writeUInt32LE(value, at)
    },
    double(field, value) {
      tag(field, FIXED_64, 8)
      at = bytes.writeDoubleLE(value, at)
    },
    nanos(field, moment) {
      tag(field, FIXED_64, 8)
      // Nanoseconds since 1970 have more digits than a number holds: the product is made in two halves.
      const whole = Math.floor(moment)
      const high = Math.floor(whole / HALF) * NANOS
      const low = (high % HALF) * HALF + (whole % HALF) * NANOS + Math.round((moment - whole) * NANOS)
      at = bytes.writeUInt32LE(low % TWO_TO_32, at)
      at = bytes.writeUInt32LE(Math.floor(high / HALF) + Math.floor(low / TWO_TO_32), at)
    },
    begin(field) {
      tag(field, DELIMITED, 1)
      at += 1
      return at
    },
    end(place) {
      const length = at - place
      at = place - 1
      if (length > LOW_BITS) {
        reserve(length + VARINT_BYTES)
        bytes.copyWithin(at + lengthOf(length), place, place + length)
      }
      varint(length)
      at += length
    },
    head(field, length) {
      tag(field, DELIMITED, VARINT_BYTES)
      varint(length)
    },
    append,
    take() {
      const taken = new Uint8Array(bytes.buffer.slice(0, at))
      at = 0
      return taken
    },
  }
}
