import { callerOf } from '../http/principal.ts'
import { Type } from '../http/schema/type.ts'
import { Moment, Nullable } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import { readBalance } from './credits/read-balance.ts'
import type { BillingDeps } from './deps.ts'

const BalanceSchema = Type.Object({
  balance: Type.Integer({ description: 'The credits that can be spent now.' }),
  reserved: Type.Integer({ description: 'Set aside for work under way.' }),
  cycleCredits: Type.Integer({
    description: 'The part of `credits` that ends with the cycle and is spent first.',
  }),
  purchasedCredits: Type.Integer({ description: 'The part of `credits` that stays.' }),
  unlimited: Type.Boolean({
    description: 'Whether the plan has no limit, so that work does not reduce the balance.',
  }),
  plan: Type.String(),
  creditsPerCycle: Nullable(Type.Integer()),
  cycle: Type.Object({ startedAt: Moment, renewsAt: Moment }),
})

/** `GET /v1/billing/balance`. */
export function balanceRoutes(server: Server, deps: Pick<BillingDeps, 'database' | 'book'>): void {
  server.get(
    '/v1/billing/balance',
    {
      config: { access: 'billing:read' },
      schema: {
        tags: ['Billing'],
        operationId: 'readBalance',
        summary: 'Read the balance',
        response: { 200: BalanceSchema },
      },
    },
    async (request) => readBalance(deps, callerOf(request).organizationId, request.now),
  )
}
