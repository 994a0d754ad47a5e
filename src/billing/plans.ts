import { ACTIONS, CYCLES, hasModule, MODULE_NAMES, planOf } from '../core/plans.ts'
import { callerOf } from '../http/principal.ts'
import { NoCursor } from '../http/schema/list.ts'
import { Type } from '../http/schema/type.ts'
import { Nullable } from '../http/schema/validation.ts'
import type { Server } from '../http/server.ts'
import type { BillingDeps } from './deps.ts'

export const MoneySchema = Type.Object({
  amount: Type.Integer({ description: "In the currency's smallest unit." }),
  currency: Type.String({ examples: ['usd'] }),
})

const PlanSchema = Type.Object({
  name: Type.String(),
  requestsPerMinute: Nullable(Type.Integer()),
  modules: Type.Array(Type.String({ enum: MODULE_NAMES })),
  webhooks: Type.Integer({ description: 'Webhooks that an organization may have.' }),
  storageGiB: Nullable(Type.Integer({ description: 'How much an organization may store.' })),
  creditsPerCycle: Nullable(Type.Integer()),
  price: Nullable(MoneySchema),
  current: Type.Boolean({ description: 'Whether it is the plan of the caller’s organization.' }),
})

/** The plans, and the prices of work. */
export function planRoutes(server: Server, { book, payments }: Pick<BillingDeps, 'book' | 'payments'>): void {
  server.get(
    '/v1/billing/plans',
    {
      config: { access: 'billing:read' },
      schema: {
        tags: ['Billing'],
        operationId: 'listPlans',
        summary: 'List the plans, the prices and the modules',
        description: 'A limit of `null` is none; a price of `null` is not for sale.',
        response: {
          200: Type.Object({
            data: Type.Array(PlanSchema),
            nextCursor: NoCursor,
            modules: Type.Array(
              Type.Object({
                module: Type.String({ enum: MODULE_NAMES }),
                enabled: Type.Boolean({ description: 'Whether the caller’s organization may use it.' }),
                byFlag: Type.Boolean({
                  description: 'Whether a flag of the organization decides this, instead of its plan.',
                }),
              }),
            ),
            cycle: Type.String({ enum: [...CYCLES] }),
            creditPack: Nullable(Type.Object({ credits: Type.Integer(), price: MoneySchema })),
            paymentProvider: Nullable(
              Type.String({
                enum: ['stripe'],
                description:
                  'The payment provider. Null: none is configured; the operator grants credits, changes plans and settles checkouts by hand.',
              }),
            ),
            actions: Type.Array(
              Type.Object({ action: Type.String({ enum: [...ACTIONS] }), credits: Type.Integer() }),
            ),
          }),
        },
      },
    },
    async (request) => {
      const { plan, flags } = callerOf(request)
      return {
        data: [...book.plans.values()].map((one) => ({
          ...one,
          modules: [...one.modules],
          current: one.name === plan,
        })),
        nextCursor: null,
        modules: MODULE_NAMES.map((module) => ({
          module,
          enabled: hasModule(planOf(book, plan), flags, module),
          byFlag: flags[module] !== undefined,
        })),
        cycle: book.cycle,
        creditPack: book.creditPack,
        paymentProvider: payments.name === 'stripe' ? payments.name : null,
        actions: ACTIONS.map((action) => ({ action, credits: book.prices[action] })),
      }
    },
  )
}
