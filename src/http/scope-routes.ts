import { PERMISSION_NAMES, permissionRow } from './permissions.ts'
import { NoCursor } from './schema/list.ts'
import { Type } from './schema/type.ts'
import { Nullable } from './schema/validation.ts'
import type { Server } from './server.ts'

const Row = Type.Object(
  {
    scope: Type.String({ description: 'The name in `scopes` of an API key, such as `events:write`.' }),
    role: Type.String({ description: 'The lowest role that has it.' }),
    module: Nullable(Type.String({ description: 'The module of a plan to which its operations belong.' })),
    description: Type.String({ description: 'Its meaning, in one sentence.' }),
  },
  { title: 'ScopeEntry' },
)

/** `GET /v1/scopes`: the table of permissions. */
export function scopeRoutes(server: Server): void {
  const data = PERMISSION_NAMES.map((scope) => {
    const { role, module = null, about } = permissionRow(scope)
    return { scope, role, module, description: about }
  })
  server.get(
    '/v1/scopes',
    {
      config: { access: 'public' },
      schema: {
        tags: ['API keys'],
        operationId: 'listScopes',
        summary: 'List the scopes',
        description:
          'The permissions of callers of an organization, in the order of the table. `x-scope` of each operation names the one that it requires.',
        response: { 200: Type.Object({ data: Type.Array(Row), nextCursor: NoCursor }) },
      },
    },
    async () => ({ data, nextCursor: null }),
  )
}
