import { audit, type Trail, trailOf } from '../../audit/audit.ts'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { hashToken, type Vault } from '../../core/secret.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sealContext } from '../../db/sealed.ts'
import { cookiesFor } from '../../http/cookies.ts'
import { Type } from '../../http/schema/type.ts'
import { Nullable, SecretSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { changeEmail, lockPair } from '../accounts/change-email.ts'
import { lockAccount, lockAddress } from '../accounts/lock-account.ts'
import type { AccessDeps } from '../deps.ts'
import { consumeToken, isLive, type OneTimeToken, payloadOf } from '../one-time-token.ts'
import { findOwnSession } from '../sessions/sessions.ts'
import type { EmailChange } from '../sign-in/begin-email-change.ts'
import { endChange, PURPOSES } from './pending-change.ts'

type ProveDeps = Pick<
  AccessDeps,
  'config' | 'database' | 'vault' | 'outbox' | 'publish' | 'credentials' | 'endMade'
>

const Token = strict({ token: SecretSchema })

const badToken = () => new ApiError('VALIDATION_FAILED', { field: 'token', value: '[redacted]' })

/**
 * Rolls back a transaction that finds that the other mailbox has confirmed; the next one also locks the new
 * address.
 */
class OtherIsDone extends Error {}

/**
 * `POST /v1/auth/change-email/confirm` and `…/refuse`, for the buttons of the links in mails. A link confirms only in a session of the
 * account, so that neither a stranger with a mistyped address nor a mail scanner can confirm.
 */
export function proveEmailChangeRoutes(server: Server, deps: ProveDeps): void {
  const { config, database, vault } = deps
  const cookies = cookiesFor(config.web.baseUrl)

  server.post(
    '/v1/auth/change-email/confirm',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['E-mail address'],
        operationId: 'confirmEmailChange',
        summary: 'Confirm a change of address, at either mailbox',
        description:
          "The second confirmation changes the address: every other session of the account ends, with every mailed link and grant. Either link requires a session of the account (`UNAUTHORIZED` without one, `own_sign_in_required` in one of an organization's identity provider), except for a change that the operator began. If no mailbox of the account was ever proven, the last confirmation also ends the password, and everything that was set up before. `DUPLICATE` where the new address has another person's account.",
        body: Token,
        response: {
          200: Type.Object({
            status: Type.String({ enum: ['waiting', 'changed'] }),
            waitsFor: Nullable(
              Type.String({ enum: ['present', 'new'], description: 'The mailbox that has not agreed.' }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const { now } = request
      const row = await findLink(database.db, request.body.token, now)
      if (row === undefined) throw badToken()
      const change = payloadOf<EmailChange>(vault, row)
      if (change.sessionId !== null) {
        const session = await findOwnSession(database.db, request.cookies[cookies.session], now)
        if (session?.account_id !== row.account_id) throw new ApiError('UNAUTHORIZED', {})
      }
      const shown = { row, token: request.body.token, change }
      const agree = (isLast: boolean) =>
        database.tx((tx) => agreeBy(tx, deps, trailOf(request), { ...shown, isLast }))
      const isChanged = await agree(change.isOtherDone).catch((error: unknown) => {
        if (error instanceof OtherIsDone) return agree(true)
        throw error
      })
      if (isChanged) return { status: 'changed', waitsFor: null }
      return { status: 'waiting', waitsFor: row.purpose === 'email_proof' ? 'present' : 'new' }
    },
  )

  server.post(
    '/v1/auth/change-email/refuse',
    {
      config: { access: 'public', rates: ['secretPerIp'] },
      schema: {
        tags: ['E-mail address'],
        operationId: 'refuseEmailChange',
        summary: 'Refuse a change of address, at either mailbox',
        description: 'Both links stop working, and the address stays.',
        body: Token,
        response: { 200: Type.Object({ status: Type.Boolean() }) },
      },
    },
    async (request) => {
      const row = await findLink(database.db, request.body.token, request.now)
      if (row === undefined) throw badToken()
      await database.tx(async (tx) => {
        const account = await lockAccount(tx, row.account_id)
        const used = await consumeToken(tx, row.purpose, request.body.token, request.now)
        if (account === undefined || used === undefined) throw badToken()
        await endChange(tx, account)
        await audit(tx, trailOf(request), {
          action: 'account.email_change_refused',
          accountId: account.id,
          targetId: account.id,
          details: { by: row.purpose === 'email_proof' ? 'new_mailbox' : 'present_mailbox' },
        })
      })
      return { status: true }
    },
  )
}

interface Shown {
  row: OneTimeToken
  token: string
  change: EmailChange
  /** Whether the other mailbox is known to have agreed. */
  isLast: boolean
}

/**
 * Consumes a link and records that in the other link, or changes the address where both are confirmed.
 * @returns whether the address has changed
 */
async function agreeBy(
  tx: Tx,
  deps: ProveDeps,
  trail: Trail,
  { row, token, change, isLast }: Shown,
): Promise<boolean> {
  const pair = isLast ? await lockPair(tx, deps, trail, change) : undefined
  const account = pair === undefined ? await lockAddress(tx, change.from) : pair.account
  const used = await consumeToken(tx, row.purpose, token, trail.now)
  if (used === undefined || account?.id !== row.account_id || account.status !== 'active') throw badToken()
  if (!payloadOf<EmailChange>(deps.vault, used).isOtherDone) {
    await noteInOther(tx, deps.vault, row)
    return false
  }
  if (pair === undefined) throw new OtherIsDone()
  const by = change.sessionId === null ? 'operator' : 'person'
  await changeEmail(tx, deps, trail, { account, holder: pair.holder }, { keep: change.sessionId, by })
  return true
}

async function noteInOther(tx: Tx, vault: Vault, { account_id, purpose }: OneTimeToken): Promise<void> {
  const other = purpose === 'email_proof' ? 'email_approval' : 'email_proof'
  const links = tx.selectFrom('one_time_token').selectAll()
  const row = await links.where('account_id', '=', account_id).where('purpose', '=', other).executeTakeFirst()
  if (row === undefined) throw badToken()
  const payload: EmailChange = { ...payloadOf<EmailChange>(vault, row), isOtherDone: true }
  await tx
    .updateTable('one_time_token')
    .set({ payload: vault.seal(JSON.stringify(payload), sealContext('one_time_token', other, account_id)) })
    .where('token_hash', '=', row.token_hash)
    .execute()
}

function findLink(db: Db, token: string, now: Millis): Promise<OneTimeToken | undefined> {
  return db
    .selectFrom('one_time_token')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('purpose', 'in', PURPOSES)
    .where(isLive('email_proof', now))
    .executeTakeFirst()
}
