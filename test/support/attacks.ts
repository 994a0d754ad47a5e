import assert from 'node:assert/strict'
import { CATALOGUE, type ErrorCode } from '#src/core/errors.ts'
import { MAIL_JOB, type MailPayload } from '#src/mail/outbox.ts'
import type { Answer, Client } from './browser.ts'
import type { Mail } from './mailbox.ts'
import { nightly } from './nightly.ts'
import { type EngineName, type Options, type Postern, startPostern } from './postern.ts'
import { until } from './waits.ts'

/** The next mail of a kind to an address, by its subject; earlier mails of other kinds are dropped. */
export async function mailAbout(postern: Postern, address: string, subject: RegExp): Promise<Mail> {
  let mail = await postern.mailbox.next(address)
  while (!subject.test(mail.subject)) mail = await postern.mailbox.next(address)
  await isNotedAsSent(postern, address)
  return mail
}

/** Waits until a sent mail is recorded: a clock that moves before makes the server send it again. */
async function isNotedAsSent({ app }: Postern, address: string): Promise<void> {
  const { db } = app.database
  const underWay = async () => {
    const jobs = await db
      .selectFrom('job')
      .select('payload')
      .where('kind', '=', MAIL_JOB)
      .where('claim_id', 'is not', null)
      .execute()
    const claimed = new Set(jobs.map(({ payload }) => (JSON.parse(payload) as MailPayload).mailId))
    const mails = await db
      .selectFrom('mail')
      .select('id')
      .where('recipient', '=', address)
      .where('status', '=', 'queued')
      .execute()
    return mails.filter(({ id }) => claimed.has(id))
  }
  await until(underWay, ({ length }) => length === 0, { what: `no mail to ${address} that is being sent` })
}

/** A live password reset token of an account, from its mail. */
export async function askReset(postern: Postern, email: string): Promise<string> {
  const answer = await postern.client().post('/v1/auth/forget-password', { email })
  assert.equal(answer.status, 200, answer.text)
  return (await mailAbout(postern, email, /new password/)).token
}

/** A live sign-in link, and the browser that asked for it. */
export async function askMagicLink(
  postern: Postern,
  email: string,
): Promise<{ client: Client; token: string; code: string }> {
  const client = postern.client()
  const answer = await client.post('/v1/auth/magic-link', { email })
  assert.equal(answer.status, 200, answer.text)
  const { token, code } = await mailAbout(postern, email, /sign-in link/)
  return { client, token, code }
}

export function signIn(client: Client, email: string, password: string): Promise<Answer> {
  return client.post('/v1/auth/sign-in/email', { email, password })
}

/**
 * The number of requests that a test sends at once where each hashes a password and only one may have an effect. The server hashes
 * several times fewer at once, and has several times fewer connections to the database, so the requests do meet.
 */
export const MANY = nightly(50, 20)

/** Runs `work` that many times at once. */
export function atOnce<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)))
}

/** As `atOnce`, twenty at a time: many that need not meet, each answered in time on a busy machine. */
export async function inGroups<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  while (results.length < times) {
    const begun = results.length
    results.push(...(await atOnce(Math.min(20, times - begun), (index) => work(begun + index))))
  }
  return results
}

/** Asserts an error of the catalogue, and the given members of its `details`. */
export function assertError(answer: Answer, code: ErrorCode, details: object = {}): void {
  assert.equal(answer.status, CATALOGUE[code].status, answer.text)
  assert.equal(answer.body.error.code, code, answer.text)
  for (const [name, value] of Object.entries(details)) {
    assert.deepEqual(answer.body.error.details[name], value, answer.text)
  }
}

/** How often each status was answered. */
export function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Runs `work` on a Postern of its own: for tests that move its clock by days. */
export async function withPostern(
  engine: EngineName,
  options: Options,
  work: (postern: Postern) => Promise<void>,
): Promise<void> {
  const postern = await startPostern(engine, options)
  try {
    await work(postern)
  } finally {
    await postern.stop()
  }
}
