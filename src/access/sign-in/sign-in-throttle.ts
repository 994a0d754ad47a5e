import { sql } from 'kysely'
import { DAY, type Millis, SKEW } from '../../core/clock.ts'
import { SIGN_IN_BACKOFF } from '../../core/limits.ts'
import { fingerprint } from '../../core/secret.ts'
import type { Tx } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'

/**
 * The key of the count of failed sign-ins: the address, with or without an account, and the known device. So a flood of wrong
 * passwords from others does not lock the owner out of a browser that signed in before.
 *
 * A try is counted before its password is compared, and the count is reset when it was right, so that many concurrent tries cannot
 * pass before the first is counted (ZITADEL CVE-2023-47111).
 */
export function throttleKey(email: string, knownDevice: string | undefined): string {
  return fingerprint(knownDevice === undefined ? email : `${email} ${knownDevice}`)
}

/** The count of an address is reset after a day without tries. */
const RESET_AFTER: Millis = DAY

const forget = prepared<{ key: string; before: Millis }>()((db, value) =>
  db
    .deleteFrom('sign_in_throttle')
    .where('email_hash', '=', value('key'))
    .where('updated_at', '<=', value('before')),
)

const insertTry = prepared<{ key: string; failures: number; now: Millis; latest: Millis }>()((db, value) =>
  db
    .insertInto('sign_in_throttle')
    .values({
      email_hash: value('key'),
      failures: value('failures'),
      // The first try sets no wait, because concurrent tries may arrive in another order than their times, and processes' clocks differ.
      next_at: literal(0),
      updated_at: value('now'),
    })
    .onConflict((conflict) =>
      conflict
        .column('email_hash')
        .doUpdateSet({ failures: sql`sign_in_throttle.failures + 1`, updated_at: value('now') })
        .where(({ or, eb }) =>
          or([
            eb('sign_in_throttle.next_at', '<=', value('now')),
            eb('sign_in_throttle.next_at', '>', value('latest')),
          ]),
        ),
    )
    .returning('failures'),
)

const forgive = prepared<{ key: string }>()((db, value) =>
  db.deleteFrom('sign_in_throttle').where('email_hash', '=', value('key')),
)

/**
 * Counts a try.
 * @returns whether its password may be compared; after five failures one try per wait may, and the wait doubles from 1 s to 15 min
 */
export async function countTry(tx: Tx, key: string, now: Millis): Promise<boolean> {
  const { free, firstWait, longestWait } = SIGN_IN_BACKOFF
  await forget(tx, { key, before: now - RESET_AFTER })
  const [counted] = await insertTry(tx, { key, failures: 1, now, latest: now + longestWait + SKEW })
  if (counted === undefined) return false
  if (counted.failures >= free) {
    const wait = Math.min(firstWait * 2 ** Math.min(counted.failures - free, 20), longestWait)
    await tx
      .updateTable('sign_in_throttle')
      .set({ next_at: now + wait })
      .where('email_hash', '=', key)
      .execute()
  }
  return true
}

/** Resets the count of tries after a right password. */
export async function resetTries(tx: Tx, key: string): Promise<void> {
  await forgive(tx, { key })
}
