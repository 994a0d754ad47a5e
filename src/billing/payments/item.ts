import { ApiError } from '../../core/errors.ts'
import type { Cycle, Money, PlanBook } from '../../core/plans.ts'
import { groupDigits } from '../../core/text/group-digits.ts'
import { documented } from '../../http/schema/public-schema.ts'

/** The ordered item, and its price. */
interface Item {
  credits: number | null
  plan: string | null
  title: string
  price: Money
  quantity: number
  every: Cycle | undefined
}

/** Payment providers accept amounts of eight digits. */
const HIGHEST_AMOUNT = 99_999_999

/** The rule in JSON Schema: either credits or a plan. */
export const ONE_ITEM = documented({ oneOf: [{ required: ['credits'] }, { required: ['plan'] }] })

/** The rule in JSON Schema: whole packs of credits, up to the highest amount. */
export function sellableCredits({ creditPack }: PlanBook): object {
  if (creditPack === null) return {}
  const { credits, price } = creditPack
  const most = price.amount === 0 ? {} : { maximum: Math.floor(HIGHEST_AMOUNT / price.amount) * credits }
  return documented({ minimum: credits, multipleOf: credits, ...most })
}

/** The rule in JSON Schema: the plans with a price. */
export function sellablePlans({ plans }: PlanBook): object {
  const names = [...plans].filter(([, { price }]) => isSellable(price)).map(([name]) => name)
  return names.length === 0 ? {} : documented({ enum: names })
}

/**
 * Reads the ordered item. The price comes from the plan book, never from the caller.
 * @param present the current plan of the organization
 * @throws ApiError MISSING_REQUIRED_FIELD, VALIDATION_FAILED
 */
export function readItem(
  book: PlanBook,
  present: string,
  { credits, plan }: { credits?: number; plan?: string },
): Item {
  if (credits !== undefined && plan !== undefined)
    throw new ApiError('VALIDATION_FAILED', { field: 'plan', value: plan, reason: 'credits_or_plan' })
  if (credits !== undefined) return creditsItem(book, credits)
  if (plan !== undefined) return planItem(book, present, plan)
  throw new ApiError('MISSING_REQUIRED_FIELD', { field: 'credits', reason: 'credits_or_plan' })
}

function creditsItem({ creditPack }: PlanBook, credits: number): Item {
  const refuse = (reason: string) =>
    new ApiError('VALIDATION_FAILED', { field: 'credits', value: credits, reason })
  if (creditPack === null) throw refuse('not_for_sale')
  if (credits % creditPack.credits !== 0) throw refuse(`not_a_multiple_of_${creditPack.credits}`)
  const quantity = credits / creditPack.credits
  if (quantity * creditPack.price.amount > HIGHEST_AMOUNT) throw refuse('too_many')
  const title = `${groupDigits(creditPack.credits)} credits`
  return { credits, plan: null, title, price: creditPack.price, quantity, every: undefined }
}

function planItem({ plans, cycle }: PlanBook, present: string, name: string): Item {
  const refuse = (reason: string) => new ApiError('VALIDATION_FAILED', { field: 'plan', value: name, reason })
  const plan = plans.get(name)
  if (plan === undefined) throw refuse('unknown_plan')
  if (!isSellable(plan.price)) throw refuse('not_for_sale')
  if (name === present) throw refuse('current_plan')
  return { credits: null, plan: name, title: `Plan ${name}`, price: plan.price, quantity: 1, every: cycle }
}

function isSellable(price: Money | null): price is Money {
  return price !== null && price.amount <= HIGHEST_AMOUNT
}
