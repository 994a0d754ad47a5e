import { requireSignIn } from '../access/accounts/require-sign-in.ts'
import { trailOf } from '../audit/audit.ts'
import { changePlan } from '../billing/plans/change-plan.ts'
import { setFlag } from '../billing/plans/set-flag.ts'
import { repeatable } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import { parseId } from '../core/id.ts'
import { MODULE_NAMES, type Module } from '../core/plans.ts'
import { afterCommit, type Tx } from '../db/database.ts'
import { notFound } from '../db/owned-row.ts'
import { documented } from '../http/schema/public-schema.ts'
import { Type } from '../http/schema/type.ts'
import { ExternalIdSchema, IdSchema, NameSchema, Nullable, strict } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { lockOrganization, renameOrganization, setExternalId } from '../organizations/organizations.ts'
import type { Webhook } from '../webhooks/endpoints/end-webhooks.ts'
import type { OperatorDeps } from './deps.ts'
import { disableOrganization, enableOrganization } from './disable-organization.ts'
import { endOrganization } from './end-organization.ts'
import { OperatedOrganization, readOrganization } from './organization-wire.ts'

const ById = strict({ id: IdSchema('organization') })
const tags = ['Operator']
const ModulesSchema = strict(
  Object.fromEntries(MODULE_NAMES.map((module) => [module, Type.Optional(Nullable(Type.Boolean()))])),
)
const StatusSchema = Type.Unsafe<'active' | 'disabled'>(
  Type.String({
    enum: ['active', 'disabled'],
    description:
      '`disabled`: no session, token or key is accepted and deliveries wait until it is `active` again; its runs are cancelled.',
  }),
)

/** Routes that change, disable and delete an organization. */
export function organizationChangeRoutes(server: Server, deps: OperatorDeps): void {
  const { config, database, forgetCallers, forgetWebhook, dispatch, cancelRuns, lateWrites } = deps
  const { book } = config.plans

  /** @throws ApiError DUPLICATE where another organization has the value */
  const unlessTaken = (field: string, value: unknown, writing: Promise<unknown>) =>
    writing.catch((error: unknown) => {
      if (!database.isUniqueViolation(error)) throw error
      throw new ApiError('DUPLICATE', { field, value })
    })

  server.patch(
    '/v1/operator/organizations/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'changeOrganization',
        summary: 'Change, disable or enable an organization',
        description: 'Makes all changes, or none. A module that is null follows the plan.',
        params: ById,
        body: strict(
          {
            name: Type.Optional(NameSchema),
            externalId: Type.Optional(Nullable(ExternalIdSchema)),
            plan: Type.Optional(Type.String({ enum: [...book.plans.keys()] })),
            modules: Type.Optional(ModulesSchema),
            status: Type.Optional(StatusSchema),
            signInRequired: Type.Optional(
              Type.Boolean({
                description:
                  '`false` lets members use their own sign-ins, for example when their identity provider fails.',
                ...documented({ const: false }),
              }),
            ),
          },
          { minProperties: 1 },
        ),
        response: { 200: OperatedOrganization },
      },
    },
    async (request) => {
      const organizationId = parseId('organization', request.params.id)
      const { externalId, plan, status, signInRequired, modules = {} } = request.body
      // Only the organization may require the sign-in, because it could shut out members.
      if (signInRequired === true)
        throw new ApiError('VALIDATION_FAILED', {
          ...{ field: 'signInRequired', value: true, reason: 'by_the_organization' },
        })
      const name = request.body.name?.trim()
      const trail = trailOf(request)
      const setStatus = async (tx: Tx) => {
        const change = status === 'disabled' ? disableOrganization : enableOrganization
        for (const webhook of await change(tx, trail, organizationId)) {
          forgetWebhook(tx, webhook)
          if (status === 'active') afterCommit(tx, () => dispatch.expedite(webhook.id))
        }
        afterCommit(tx, forgetCallers)
      }
      const change = async (tx: Tx) => {
        const row = await lockOrganization(tx, organizationId)
        if (row === undefined) throw notFound('id', organizationId)
        if (name !== undefined && name !== row.name)
          await unlessTaken('name', name, renameOrganization(tx, trail, row, name))
        if (externalId !== undefined) {
          await unlessTaken('externalId', externalId, setExternalId(tx, trail, row, externalId))
          afterCommit(tx, forgetCallers)
        }
        for (const [module, isOn] of Object.entries(modules) as [Module, boolean | null][])
          await setFlag(tx, forgetCallers, trail, { organizationId, module, isOn })
        if (status !== undefined) await setStatus(tx)
        if (signInRequired === false && row.sign_in_required_at !== null) {
          await requireSignIn(tx, trail, { organizationId, actorId: null, required: false, exceptions: [] })
          afterCommit(tx, forgetCallers)
        }
        // The plan changes last, because the lock order ends with the credits of an organization.
        if (plan !== undefined)
          await changePlan(tx, { book, forgetCallers }, trail, { organizationId, plan, actorId: null })
      }
      // A repeated request makes the same change.
      await repeatable(() => database.tx(change))
      if (status === 'disabled') {
        await repeatable(() => cancelRuns(organizationId, request.now))
        lateWrites.schedule(organizationId)
      }
      return readOrganization(database.db, book, organizationId)
    },
  )

  server.delete(
    '/v1/operator/organizations/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'deleteOrganization',
        summary: 'Delete an organization with everything it has',
        description:
          'This cannot be undone. Its ledger, paid checkouts and audit log are kept; its events are deleted after `RETENTION_DAYS`, and tokens of its connections are revoked at their providers.',
        params: ById,
        querystring: strict({
          name: Type.String({ minLength: 1, maxLength: 100, description: 'Its name, to be sure.' }),
        }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = parseId('organization', request.params.id)
      const trail = trailOf(request)
      const named = async (tx: Tx) => {
        const row = await lockOrganization(tx, id)
        if (row === undefined) throw notFound('id', id)
        const { name } = request.query
        if (name === row.name) return row
        throw new ApiError('VALIDATION_FAILED', { field: 'name', value: name, reason: 'not_its_name' })
      }
      const changed = (tx: Tx, webhooks: Webhook[]) => {
        for (const webhook of webhooks) forgetWebhook(tx, webhook)
        afterCommit(tx, forgetCallers)
      }
      // After the commit no new run begins. Each run is cancelled in its own transaction, and its used credits are charged.
      await repeatable(() =>
        database.tx(async (tx) => {
          await named(tx)
          changed(tx, await disableOrganization(tx, trail, id))
        }),
      )
      await repeatable(() => cancelRuns(id, request.now))
      await database.tx(async (tx) => changed(tx, await endOrganization(tx, trail, await named(tx))))
      lateWrites.schedule(id)
      return reply.code(204).send(null)
    },
  )
}
