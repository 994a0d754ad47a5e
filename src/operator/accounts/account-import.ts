import { importAccounts } from '../../access/accounts/import-accounts.ts'
import {
  type ImportedAccount,
  isRefusal,
  type Refusal,
  readImportedLine,
} from '../../access/accounts/imported-line.ts'
import { type Trail, trailOf } from '../../audit/audit.ts'
import type { Database } from '../../db/database.ts'
import { Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import type { OperatorDeps } from '../deps.ts'

const tags = ['Operator']
const MOST_ACCOUNTS = 1_000
/** Accounts per transaction: few enough that other writers wait no longer than usual. */
const AT_ONCE = 100
const LARGEST_BODY = 2 * 1024 * 1024
/** Longest account in characters, as a line of the command's file. */
const LONGEST_LINE = 64 * 1024

/** Undoes the transaction of a dry run. */
class DryRun extends Error {}

type Outcome = 'imported' | 'unchanged' | Refusal

async function importSome(
  database: Database,
  trail: Trail,
  accounts: ImportedAccount[],
  isDry: boolean,
): Promise<Outcome[]> {
  let outcomes: Outcome[] = []
  try {
    await database.tx(async (tx) => {
      outcomes = await importAccounts(tx, trail, accounts)
      if (isDry) throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  return outcomes
}

/** @returns the result of each, in their order */
async function importAll(
  database: Database,
  trail: Trail,
  given: Record<string, unknown>[],
  isDry: boolean,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let start = 0; start < given.length; start += AT_ONCE) {
    const read = given.slice(start, start + AT_ONCE).map((account) => {
      const line = JSON.stringify(account)
      return line.length > LONGEST_LINE ? { field: 'line', reason: 'too_long' } : readImportedLine(line)
    })
    const accounts = read.filter((one): one is ImportedAccount => !isRefusal(one))
    const written = accounts.length === 0 ? [] : await importSome(database, trail, accounts, isDry)
    let next = 0
    for (const one of read) {
      if (isRefusal(one)) outcomes.push(one)
      else outcomes.push(written[next++] as Outcome)
    }
  }
  return outcomes
}

/** The route that imports accounts of another system, as `postern import-accounts` does. */
export function accountImportRoutes(server: Server, { database }: Pick<OperatorDeps, 'database'>): void {
  server.post(
    '/v1/operator/accounts/import',
    {
      bodyLimit: LARGEST_BODY,
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'importAccounts',
        summary: 'Import accounts of another system',
        description:
          'Each account has the form of a line of `npx postern import-accounts`. An existing account is never changed, so the same request may be sent again. A refused account does not affect the others; 100 at a time are imported together.',
        body: strict({
          accounts: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
            minItems: 1,
            maxItems: MOST_ACCOUNTS,
            description: 'Accounts with the members that docs/operations.md describes.',
          }),
          dryRun: Type.Optional(
            Type.Boolean({ default: false, description: 'Reports the refusals, and changes nothing.' }),
          ),
        }),
        response: {
          200: Type.Object({
            imported: Type.Integer({ minimum: 0 }),
            unchanged: Type.Integer({ minimum: 0 }),
            refused: Type.Integer({ minimum: 0 }),
            refusals: Type.Array(
              Type.Object({
                index: Type.Integer({ minimum: 0 }),
                field: Type.String(),
                reason: Type.String(),
              }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const { accounts, dryRun = false } = request.body
      const outcomes = await importAll(database, trailOf(request), accounts, dryRun)
      const refusals = outcomes.flatMap((one, index) => (typeof one === 'string' ? [] : [{ index, ...one }]))
      const count = (what: Outcome) => outcomes.filter((one) => one === what).length
      return {
        ...{ imported: count('imported'), unchanged: count('unchanged') },
        ...{ refused: refusals.length, refusals },
      }
    },
  )
}
