import { type Millis, pause } from './clock.ts'

/** Where so many wait for the next commit already, more come at any moment. */
export const CROWD = 4
/** Then that commit waits so long for more to share it: less than it takes. Whoever comes alone waits for nothing. */
const COMPANY: Millis = 1
/** And as long again, where some have come meanwhile, but so often at most … */
const MOST_RESTS = 4
/** … and no longer than until so many are there: of a commit for more each costs hardly less. */
const ENOUGH = 32

/** Waits a moment. */
export type Rest = (delay: Millis) => Promise<void>

/** Waits for company, as long as it keeps coming. @param count how many are there */
export async function awaitCompany(count: () => number, rest: Rest = pause): Promise<void> {
  for (let rests = 0; rests < MOST_RESTS; rests += 1) {
    const before = count()
    if (before >= ENOUGH) return
    await rest(COMPANY)
    if (count() === before) return
  }
}
