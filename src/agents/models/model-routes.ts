import { Page, PageQuery } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { Models } from './model.ts'

const ModelSchema = Type.Object({
  name: Type.String({ description: 'The name of the model in agents.' }),
  contextTokens: Type.Integer({ description: 'Tokens that it reads and writes at most, together.' }),
  maxOutputTokens: Type.Integer(),
  prices: Type.Object(
    { inputPer1000: Type.Number(), outputPer1000: Type.Number() },
    { description: 'Credits for 1,000 tokens, in addition to the price of a step.' },
  ),
})

/** `GET /v1/models`: the models that agents may use. */
export function modelRoutes(server: Server, { models }: { models: Models }): void {
  server.get(
    '/v1/models',
    {
      config: { access: 'agents:read' },
      schema: {
        tags: ['Agents'],
        operationId: 'listModels',
        summary: 'List models',
        description: 'All models on one page: the configured ones and the built-in one.',
        querystring: strict(PageQuery),
        response: { 200: Page(ModelSchema) },
      },
    },
    async () => ({
      data: [...models.values()].map(({ name, contextTokens, maxOutputTokens, prices }) => ({
        ...{ name, contextTokens, maxOutputTokens, prices },
      })),
      nextCursor: null,
    }),
  )
}
