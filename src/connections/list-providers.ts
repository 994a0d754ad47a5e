import type { ConnectionProvider } from '../config/providers-file.ts'
import { NoCursor } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import type { Server } from '../http/server.ts'

/** `GET /v1/connections/providers`: the configured providers, without server-side settings. */
export function providerRoutes(server: Server, providers: readonly ConnectionProvider[]): void {
  server.get(
    '/v1/connections/providers',
    {
      config: { access: 'connections:read' },
      schema: {
        tags: ['Connections'],
        operationId: 'listConnectionProviders',
        summary: 'List the providers that can be connected to',
        response: {
          200: Type.Object({
            data: Type.Array(
              Type.Object({
                name: Type.String({ description: 'The name for `POST /v1/connections/oauth/authorize`.' }),
                scopes: Type.Array(
                  Type.String({ description: 'The scopes that a new connection requests.' }),
                ),
                apiHosts: Type.Array(Type.String({ description: 'Where its token may be sent.' })),
              }),
            ),
            nextCursor: NoCursor,
          }),
        },
      },
    },
    async () => ({
      data: providers.map(({ name, scopes, apiHosts }) => ({ name, scopes, apiHosts })),
      nextCursor: null,
    }),
  )
}
