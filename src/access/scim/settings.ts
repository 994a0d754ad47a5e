import { audit, trailOf } from '../../audit/audit.ts'
import type { Id } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import { callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import { SCIM_PATH } from '../../http/scim-error.ts'
import type { Server } from '../../http/server.ts'
import { lockOrganization } from '../../organizations/organizations.ts'
import type { ScimDeps } from './deps.ts'
import { readSetting } from './setting-store.ts'

const SettingSchema = Type.Object(
  {
    url: Type.String(),
    endKeys: Type.Boolean(),
    users: Type.Integer(),
    activeUsers: Type.Integer(),
    groups: Type.Integer(),
  },
  { title: 'Provisioning' },
)

/** `/v1/scim`: the settings of the organization's provisioning. */
export function settingRoutes(server: Server, { config, database }: ScimDeps): void {
  const url = `${config.web.baseUrl}${SCIM_PATH}`

  server.get(
    '/v1/scim',
    {
      config: { access: 'sign_in:read' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'readProvisioning',
        summary: 'How the organization provisions',
        description: 'The URL for the directory, and the numbers of provisioned users and groups.',
        response: { 200: SettingSchema },
      },
    },
    async (request) => show(database.db, callerOf(request).organizationId),
  )

  server.patch(
    '/v1/scim',
    {
      config: { access: 'sign_in:write' },
      schema: {
        tags: ['Provisioning'],
        operationId: 'changeProvisioning',
        summary: 'Change how the organization provisions',
        body: strict({ endKeys: Type.Boolean() }),
        response: { 200: SettingSchema },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      const { endKeys } = request.body
      return database.tx(async (tx) => {
        await lockOrganization(tx, organizationId)
        await mustStillHave(tx, caller, 'sign_in:write', request.now)
        const before = await readSetting(tx, organizationId)
        if (before.endKeys !== endKeys) {
          const end_keys = endKeys ? (1 as const) : (0 as const)
          await tx
            .insertInto('scim_setting')
            .values({ organization_id: organizationId, end_keys, most_places: null })
            .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ end_keys }))
            .execute()
          const details = { endKeys }
          await audit(tx, trailOf(request), { action: 'scim.updated', organizationId, actorId, details })
        }
        return show(tx, organizationId)
      })
    },
  )

  async function show(
    db: Db | Tx,
    organizationId: Id<'organization'>,
  ): Promise<Static<typeof SettingSchema>> {
    const users = await db
      .selectFrom('scim_user')
      .select(({ fn }) => [fn.countAll<number>().as('all'), fn.sum<number>('active').as('active')])
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    const groups = await db
      .selectFrom('scim_group')
      .select(({ fn }) => fn.countAll<number>().as('all'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    const counts = {
      users: Number(users.all),
      activeUsers: Number(users.active ?? 0),
      groups: Number(groups.all),
    }
    return { url, ...(await readSetting(db, organizationId)), ...counts }
  }
}
