import assert from 'node:assert/strict'
import { SECOND } from '#src/core/clock.ts'
import { postern as command, type Postern } from './postern.ts'

/**
 * The problems that `postern doctor` names, without those of the PostgreSQL of the tests, which flushes nothing.
 * @param out what it printed
 */
export function problemsIn(out: string): string[] {
  return out.split('\n').filter((line) => line.startsWith('problem ') && !/^problem +Durability /.test(line))
}

/** Asserts that `postern doctor` counts the problems of a kind as the metrics do, in words for one or for several. */
export async function assertDoctorNames(
  postern: Postern,
  kind: string,
  words: { one: string; several: string },
): Promise<void> {
  postern.clock.advance(10 * SECOND)
  const { text } = await postern.client().get('/metrics')
  const counted = Number(new RegExp(`^postern_problems\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1])
  assert.ok(counted >= 1, text)
  const { out } = await command(postern, 'doctor')
  const line = /^ok +Problems +of organizations: (.*)$/m.exec(out)?.[1] ?? ''
  const expected = `${counted} ${counted === 1 ? words.one : words.several}`
  // The words may have a comma themselves.
  assert.ok(`, ${line}, `.includes(`, ${expected}, `), out)
}
