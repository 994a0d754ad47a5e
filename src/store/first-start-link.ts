import { type Millis, plausible } from '../core/clock.ts'
import { LIFETIME } from '../core/limits.ts'
import { equalInConstantTime, hashToken, newToken } from '../core/secret.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { findFact, keepFact } from './facts.ts'

/** The row of `meta` with the hash of the link's token and its expiry, separated by a point. */
const FIRST_START = 'first_start'

/**
 * Makes the link of a first start (decisions: access), which replaces the previous link.
 * @returns its token; only its hash is stored
 */
export async function issueFirstStartLink(database: Database, now: Millis): Promise<string> {
  const token = newToken()
  await keepFact(database, FIRST_START, `${hashToken(token)}.${now + LIFETIME.firstStartLink}`)
  return token
}

/** Ends the link of an earlier start, where there is one. */
export async function endFirstStartLink(database: Database): Promise<void> {
  if ((await findFact(database.db, FIRST_START)) === undefined) return
  await database.tx((tx) => tx.deleteFrom('meta').where('key', '=', FIRST_START).execute())
}

/** @returns whether the token is that of the newest link, and the link has not expired */
export async function isFirstStartLink(db: Db | Tx, token: string, now: Millis): Promise<boolean> {
  return (await findLink(db, token, now)) !== undefined
}

/**
 * Consumes the link: of any number of requests at once, one gets true.
 * @returns whether the token was that of a live link
 */
export async function takeFirstStartLink(tx: Tx, token: string, now: Millis): Promise<boolean> {
  const link = await findLink(tx, token, now)
  if (link === undefined) return false
  const taken = await tx
    .deleteFrom('meta')
    .where('key', '=', FIRST_START)
    .where('value', '=', link)
    .returning('key')
    .executeTakeFirst()
  return taken !== undefined
}

/** The content of the row, if it belongs to the token and has not expired. */
async function findLink(db: Db | Tx, token: string, now: Millis): Promise<string | undefined> {
  const link = await findFact(db, FIRST_START)
  const [hash = '', end = ''] = link?.split('.') ?? []
  if (!equalInConstantTime(hash, hashToken(token))) return undefined
  return now < plausible(Number(end), now, LIFETIME.firstStartLink + LIFETIME.lenience) ? link : undefined
}
