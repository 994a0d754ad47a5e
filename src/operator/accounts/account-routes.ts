import { parseId } from '../../core/id.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { Page, PageQuery, readPage, toPage } from '../../http/schema/list.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, IdSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { OperatorDeps } from '../deps.ts'
import { ListedAccount, OperatedAccount, readAccount, toListed } from './account-wire.ts'
import { findAccounts } from './list-accounts.ts'

const tags = ['Operator']
const StatusSchema = Type.Unsafe<'inactive' | 'active' | 'disabled'>(
  Type.String({ enum: ['inactive', 'active', 'disabled'] }),
)

/** Routes that find and read accounts of the installation. */
export function accountRoutes(server: Server, deps: Pick<OperatorDeps, 'config' | 'database'>): void {
  const { db } = deps.database

  server.get(
    '/v1/operator/accounts',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listAccounts',
        summary: 'List the accounts of the installation',
        querystring: strict({
          ...PageQuery,
          email: Type.Optional(EmailSchema),
          organizationId: Type.Optional(IdSchema('organization')),
          status: Type.Optional(StatusSchema),
        }),
        response: { 200: Page(ListedAccount) },
      },
    },
    async ({ query, now }) => {
      const page = readPage('account', query)
      const sought = {
        email: query.email && normalizeEmail(query.email),
        organizationId:
          query.organizationId === undefined
            ? undefined
            : parseId('organization', query.organizationId, 'organizationId'),
        status: query.status,
      }
      const { data, nextCursor } = toPage(await findAccounts(db, sought, page, now), page, (row) => row)
      return { data: await toListed(db, data), nextCursor }
    },
  )

  server.get(
    '/v1/operator/accounts/:id',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'readAccount',
        summary: 'Read an account, with its organizations',
        params: strict({ id: IdSchema('account') }),
        response: { 200: OperatedAccount },
      },
    },
    ({ params, now }) => readAccount(deps, parseId('account', params.id), now),
  )
}
