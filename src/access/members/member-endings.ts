import { trailOf } from '../../audit/audit.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, parseId } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { notFound } from '../../db/owned-row.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import { organizationsOf } from '../accounts/disable-account.ts'
import { endKeys } from '../accounts/end-keys.ts'
import { endSessionsOfMember } from '../accounts/end-sessions-of-member.ts'
import { isMember } from '../accounts/is-member.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import { removeFactors } from '../accounts/remove-factors.ts'
import type { AccessDeps } from '../deps.ts'
import { ownOrganization } from './members.ts'

const ByMember = strict({ id: IdSchema('organization'), accountId: IdSchema('account') })

/** Routes that end a member's sessions or keys without removing the member. */
export function memberEndingRoutes(
  server: Server,
  { database, credentials, outbox }: Pick<AccessDeps, 'database' | 'credentials' | 'outbox'>,
): void {
  server.delete(
    '/v1/organizations/:id/members/:accountId/sessions',
    {
      config: { access: 'members:write' },
      schema: {
        tags: ['Organizations'],
        operationId: 'endMemberSessions',
        summary: "End a member's sessions",
        description:
          'For this organization: the sessions get no more tokens for it, and earlier tokens end, also for open streams. The person must sign in again. For other organizations the sessions stay valid.',
        params: ByMember,
        response: { 200: Type.Object({ endedSessions: Type.Integer() }) },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const caller = callerOf(request)
      const { actorId } = caller
      const endedSessions = await database.tx(async (tx) => {
        // The lock waits for a sign-in under way, so that its session ends too.
        await lockAccount(tx, accountId)
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'members:write', request.now)
        await mustBeMember(tx, organizationId, accountId)
        afterCommit(tx, credentials.clear)
        return endSessionsOfMember(tx, trailOf(request), { organizationId, accountId, actorId })
      })
      return { endedSessions }
    },
  )

  server.delete(
    '/v1/organizations/:id/members/:accountId/factors',
    {
      config: { access: 'members:write' },
      schema: {
        tags: ['Organizations'],
        operationId: 'removeMemberFactors',
        summary: "Remove a member's second factors",
        description:
          'For a person who has lost all factors and is a member of only this organization; for members of others only the operator can do this (`FORBIDDEN`, `reason: member_elsewhere`). Ends every session and every mailed link of the account, and mails the person. Remove your own factors at `/v1/auth/factors/{id}` (`reason: own_account`). The factors of the last exception from a required sign-in cannot be removed (`reason: last_exception`).',
        params: ByMember,
        response: { 200: Type.Object({ removedFactors: Type.Integer() }) },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const accountId = parseId('account', request.params.accountId, 'accountId')
      const caller = callerOf(request)
      const { actorId } = caller
      const removedFactors = await database.tx(async (tx) => {
        // The lock waits for a sign-in under way, which turns its invitations into memberships.
        const account = await lockAccount(tx, accountId)
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'members:write', request.now)
        await mustBeMember(tx, organizationId, accountId)
        if (account === undefined) throw notFound('accountId', accountId)
        if (actorId === accountId) throw new ApiError('FORBIDDEN', { reason: 'own_account' })
        const memberships = await organizationsOf(tx, accountId)
        if (memberships.length > 1) throw new ApiError('FORBIDDEN', { reason: 'member_elsewhere' })
        afterCommit(tx, credentials.clear)
        return removeFactors(tx, outbox, trailOf(request), account, actorId)
      })
      return { removedFactors }
    },
  )

  server.delete(
    '/v1/organizations/:id/members/:accountId/api-keys',
    {
      config: { access: 'keys:write' },
      schema: {
        tags: ['Organizations'],
        operationId: 'deleteMemberApiKeys',
        summary: 'Delete the API keys that a member made',
        description:
          'Deletes the keys that the member made or rotated in this organization, and the keys that were made with those; also for a former member. The service accounts stay.',
        params: ByMember,
        response: { 200: Type.Object({ deletedApiKeys: Type.Integer() }) },
      },
    },
    async (request) => {
      const organizationId = ownOrganization(request, request.params.id)
      const madeBy = parseId('account', request.params.accountId, 'accountId')
      const caller = callerOf(request)
      const { actorId } = caller
      const ended = await database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'keys:write', request.now)
        afterCommit(tx, credentials.clear)
        const right = { organizationId, actorId, withMade: true }
        const keys = await endKeys(tx, trailOf(request), right, { madeBy })
        if (keys.length === 0) await mustBeKnown(tx, organizationId, madeBy)
        return keys
      })
      return { deletedApiKeys: ended.length }
    },
  )
}

/** @throws ApiError ENTITY_NOT_FOUND */
async function mustBeMember(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  if (!(await isMember(tx, organizationId, accountId))) throw notFound('accountId', accountId)
}

/** Whether an account is or was a member. @throws ApiError ENTITY_NOT_FOUND */
async function mustBeKnown(
  tx: Tx,
  organizationId: Id<'organization'>,
  accountId: Id<'account'>,
): Promise<void> {
  const former = await tx
    .selectFrom('former_member')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (former === undefined) await mustBeMember(tx, organizationId, accountId)
}
