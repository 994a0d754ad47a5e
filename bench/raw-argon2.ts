import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { SECOND, stopwatch } from '#src/core/clock.ts'

/** The raw limit of sign-ins: Argon2id verifications a second with Postern's parameters, as many at once as cores. */
async function verificationsPerSecond(durationMs: number): Promise<number> {
  const stored = await hash('correct horse 7 battery', { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const elapsed = stopwatch()
  let count = 0
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      while (elapsed() < durationMs) {
        await verify(stored, 'correct horse 7 battery')
        count += 1
      }
    }),
  )
  return count / (elapsed() / SECOND)
}

process.on('message', ({ durationMs }: { durationMs: number }) => {
  verificationsPerSecond(durationMs).then((result) => process.send?.({ result }))
})
