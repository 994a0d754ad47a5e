import { deleteAccount } from '../../access/accounts/delete-account.ts'
import { disableAccount } from '../../access/accounts/disable-account.ts'
import { enableAccount } from '../../access/accounts/enable-account.ts'
import { endSessionsOfAccount } from '../../access/accounts/end-sessions-of-account.ts'
import { lockAccount } from '../../access/accounts/lock-account.ts'
import { removeFactors } from '../../access/accounts/remove-factors.ts'
import { startEmailChange } from '../../access/sign-in/start-email-change.ts'
import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { parseId } from '../../core/id.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { afterCommit } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatedAccount, readAccount } from './account-wire.ts'

const tags = ['Operator']
const ById = strict({ id: IdSchema('account') })
const How = {
  endKeys: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Also deletes the API keys that it made or rotated, and the keys that were made with those.',
    }),
  ),
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Even if an organization is left without administrator (`last_administrator`).',
    }),
  ),
}
const StatusSchema = Type.Unsafe<'active' | 'disabled'>(
  Type.String({
    enum: ['active', 'disabled'],
    description:
      '`disabled`: its sessions, links and pending invitations end, and its sign-ins are refused. `active`: it can sign in again, with the memberships and the password that it had.',
  }),
)

/** Routes that disable, enable, sign out and delete an account, as `postern account` does. */
export function accountChangeRoutes(
  server: Server,
  {
    config,
    vault,
    database,
    forgetCallers,
    inviting,
  }: Pick<OperatorDeps, 'config' | 'vault' | 'database' | 'forgetCallers' | 'inviting'>,
): void {
  const emailing = { config, vault, outbox: inviting.outbox }

  server.patch(
    '/v1/operator/accounts/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'changeAccountStatus',
        summary: 'Disable or enable an account',
        params: ById,
        body: strict({ status: StatusSchema, ...How }),
        response: { 200: OperatedAccount },
      },
    },
    async (request) => {
      const id = parseId('account', request.params.id)
      const { status, endKeys = false, force = false } = request.body
      const trail = trailOf(request)
      await database.tx(async (tx) => {
        if (status === 'disabled') await disableAccount(tx, trail, { id }, { force, endKeys })
        else await enableAccount(tx, trail, { id })
        const after = await lockAccount(tx, id)
        if (after === undefined) throw notFound('id', id)
        if (after.status !== status) throw new ApiError('FORBIDDEN', { reason: 'not_signed_up' })
        afterCommit(tx, forgetCallers)
      })
      return readAccount({ config, database }, id, request.now)
    },
  )

  server.delete(
    '/v1/operator/accounts/:id/sessions',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'endAccountSessions',
        summary: 'End all sessions of an account',
        description:
          'In all its organizations, with their tokens and open streams, and every link and code that was mailed to it. The person must sign in again.',
        params: ById,
        response: { 200: Type.Object({ endedSessions: Type.Integer() }) },
      },
    },
    async (request) => {
      const id = parseId('account', request.params.id)
      const endedSessions = await database.tx(async (tx) => {
        afterCommit(tx, forgetCallers)
        return endSessionsOfAccount(tx, trailOf(request), { id })
      })
      if (endedSessions === undefined) throw notFound('id', id)
      return { endedSessions }
    },
  )

  server.delete(
    '/v1/operator/accounts/:id/factors',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'removeAccountFactors',
        summary: 'Remove the second factors of an account',
        description:
          'For a person who has lost all factors, recovery codes included. Ends every session and every mailed link of the account, and mails the person. The factors of the last exception from the required sign-in of an organization cannot be removed (`FORBIDDEN`, `reason: last_exception`, `organizationId`) until that is not required any more (`signInRequired`).',
        params: ById,
        response: { 200: Type.Object({ removedFactors: Type.Integer() }) },
      },
    },
    async (request) => {
      const id = parseId('account', request.params.id)
      const removedFactors = await database.tx(async (tx) => {
        const account = await lockAccount(tx, id)
        if (account === undefined) throw notFound('id', id)
        afterCommit(tx, forgetCallers)
        return removeFactors(tx, inviting.outbox, trailOf(request), account, null)
      })
      return { removedFactors }
    },
  )

  server.post(
    '/v1/operator/accounts/:id/email-change',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'startAccountEmailChange',
        summary: 'Begin a change of the address of an account',
        description:
          'For a person who has lost the current mailbox, which gets a mail and can refuse. The address changes when the new mailbox confirms it, within 24 hours; every session then ends.',
        params: ById,
        body: strict({
          newEmail: { ...EmailSchema, description: 'The new address of the account.' },
        }),
        response: { 200: Type.Object({ status: Type.Boolean() }) },
      },
    },
    async (request) => {
      const id = parseId('account', request.params.id)
      const to = normalizeEmail(request.body.newEmail) as string
      await database.tx((tx) => startEmailChange(tx, emailing, trailOf(request), { id, to }))
      return { status: true }
    },
  )

  server.delete(
    '/v1/operator/accounts/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'deleteAccount',
        summary: 'Delete an account',
        description:
          'This cannot be undone. Its sessions, memberships, links, invitations and mails are also deleted; its entries in the audit log stay, under its id. If the address is invited again, it is a new account.',
        params: ById,
        querystring: strict({ email: { ...EmailSchema, description: 'Its address, to be sure.' }, ...How }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = parseId('account', request.params.id)
      const { email, endKeys = false, force = false } = request.query
      await database.tx(async (tx) => {
        const account = await lockAccount(tx, id)
        if (account === undefined) throw notFound('id', id)
        if (normalizeEmail(email) !== account.email)
          throw new ApiError('VALIDATION_FAILED', { field: 'email', value: email, reason: 'not_its_address' })
        await deleteAccount(tx, inviting.publish, trailOf(request), account, { endKeys, force })
        afterCommit(tx, forgetCallers)
      })
      return reply.code(204).send(null)
    },
  )
}
