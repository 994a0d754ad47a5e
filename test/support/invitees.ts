import assert from 'node:assert/strict'
import type { Id } from '#src/core/id.ts'
import type { Tables } from '#src/db/tables/tables.ts'
import { askReset } from './attacks.ts'
import { newEmail, type Person } from './people.ts'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

/** An invitation as its maker sees it, and the secret of its link. */
export interface MadeInvitation {
  id: string
  email: string
  token: string
}

/** Invites an address and takes the token out of the mail, as the invited person would. */
export async function inviteByMail(
  postern: Postern,
  { token }: Pick<Person, 'token'>,
  email = newEmail('invited'),
  more: object = {},
): Promise<MadeInvitation> {
  const answer = await postern.client().post('/v1/invitations', { email, ...more }, { token })
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.id, email, token: (await postern.mailbox.next(email)).token }
}

/** Invites an address without a mail: the inviter is handed the link. */
export async function inviteByHand(
  postern: Postern,
  { token }: Pick<Person, 'token'>,
  email = newEmail('invited'),
): Promise<MadeInvitation> {
  const answer = await postern.client().post('/v1/invitations', { email, sendEmail: false }, { token })
  assert.equal(answer.status, 201, answer.text)
  return {
    id: answer.body.id,
    email,
    token: new URL(answer.body.acceptUrl).searchParams.get('token') ?? '',
  }
}

/** Every mail that was ever queued for an address. */
export function mailsTo(postern: Postern, email: string): Promise<Tables['mail'][]> {
  return postern.app.database.db.selectFrom('mail').selectAll().where('recipient', '=', email).execute()
}

/**
 * Waits until the server has processed every request for a mail made so far. Requests are processed in order,
 * so a request of the test's own tells when those before it are done.
 */
export async function mailsAreResolved(postern: Postern, known: Pick<Person, 'email'>): Promise<void> {
  await askReset(postern, known.email)
}

/** Waits until requests for mails are processed, so that later changes of a person do not affect them. */
export async function requestsAreResolved({ app, clock }: Postern): Promise<void> {
  const waiting = app.database.db.selectFrom('mail_request').select('id')
  await until(
    () => {
      clock.advance(100)
      return waiting.execute()
    },
    ({ length }) => length === 0,
    { what: 'no request for a mail that is still to be looked into' },
  )
}

export function accountOf(postern: Postern, email: string): Promise<Tables['account'] | undefined> {
  return postern.app.database.db
    .selectFrom('account')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirst()
}

/** The organizations of an address, read from the database. */
export async function membershipsOf(postern: Postern, email: string): Promise<string[]> {
  const rows = await postern.app.database.db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .select('membership.organization_id')
    .where('account.email', '=', email)
    .orderBy('membership.organization_id')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

export async function sessionsOf(postern: Postern, email: string): Promise<number> {
  const rows = await postern.app.database.db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select('session.id')
    .where('account.email', '=', email)
    .execute()
  return rows.length
}

/** Sets what no public route can: the state of an account. */
export async function setStatus(
  postern: Postern,
  email: string,
  status: Tables['account']['status'],
): Promise<void> {
  await postern.app.database.tx((tx) =>
    tx.updateTable('account').set({ status }).where('email', '=', email).execute(),
  )
}

/** Rows of the audit log of an action on the account of an address. */
export async function auditOf(postern: Postern, email: string, action: string): Promise<Tables['audit'][]> {
  const account = await accountOf(postern, email)
  return postern.app.database.db
    .selectFrom('audit')
    .selectAll()
    .where('account_id', '=', account?.id ?? ('' as Id<'account'>))
    .where('action', '=', action)
    .execute()
}
