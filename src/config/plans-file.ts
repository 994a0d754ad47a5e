import {
  ACTIONS,
  type Action,
  BUILT_IN_PLANS,
  CYCLES,
  type Cycle,
  MODULE_NAMES,
  MOST_WEBHOOKS,
  type Module,
  type Money,
  type Plan,
  type PlanBook,
} from '../core/plans.ts'
import { groupDigits } from '../core/text/group-digits.ts'
import { at, isObject, type Json, objectAt, type Place, readJsonFile, say } from './json-file.ts'

/** The largest integer in a file: far below the largest safe integer, so that sums are exact. */
const MOST = 1_000_000_000

/** Currencies as Stripe has them: three letters in lower case. */
const CURRENCY = /^[a-z]{3}$/
const PLAN_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/

/**
 * Reads the plans of a file, the built-in ones where there is none.
 * @param problems gets one line for each error of the file, with its exact place
 * @returns undefined when there were problems
 */
export function readPlans(file: string | undefined, problems: string[]): PlanBook | undefined {
  if (file === undefined) return BUILT_IN_PLANS
  const found: string[] = []
  const book = parsePlans(readJsonFile(file, found), found)
  problems.push(...found.map((problem) => `PLANS_FILE ${problem} (in ${file})`))
  return found.length === 0 ? book : undefined
}

/** As `readPlans`, from the parsed value of the file. */
function parsePlans(value: unknown, problems: string[]): PlanBook | undefined {
  if (problems.length > 0) return undefined
  const root = { path: '', problems }
  const file = objectAt(value, root, ['plans', 'cycle', 'creditPack', 'prices'])
  if (file === undefined) return undefined
  const plans = readAllPlans(file.plans, at(root, 'plans'))
  const cycle = file.cycle === undefined ? BUILT_IN_PLANS.cycle : oneOf(file.cycle, at(root, 'cycle'), CYCLES)
  const creditPack = readPack(file.creditPack ?? null, at(root, 'creditPack'))
  const prices = readPrices(file.prices ?? {}, at(root, 'prices'))
  return { plans, cycle: cycle as Cycle, creditPack, prices }
}

function readAllPlans(value: unknown, place: Place): Map<string, Plan> {
  const all = objectAt(value, place)
  if (all === undefined) return new Map()
  if (Object.keys(all).length === 0) say(place, 'must hold one plan at least')
  return new Map(
    Object.entries(all).map(([name, one]) => {
      const here = at(place, name)
      if (!PLAN_NAME.test(name))
        say(here, 'must be named with 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit')
      return [name, readPlan(name, one, here)]
    }),
  )
}

const PLAN_MEMBERS = ['requestsPerMinute', 'modules', 'webhooks', 'storageGiB', 'creditsPerCycle', 'price']
/** Webhooks of a plan without the limit. */
const WEBHOOKS = 100
const STORAGE_GIB = 1

function readPlan(name: string, value: unknown, place: Place): Plan {
  const plan = objectAt(value, place, PLAN_MEMBERS) ?? {}
  const isThere = Object.keys(plan).length > 0 || isObject(value)
  return {
    name,
    requestsPerMinute: isThere ? integerOrNull(plan, 'requestsPerMinute', place, 1) : null,
    modules: isThere ? readModules(plan.modules, at(place, 'modules')) : [],
    webhooks: integer(plan.webhooks ?? WEBHOOKS, at(place, 'webhooks'), 0, '', MOST_WEBHOOKS),
    storageGiB:
      plan.storageGiB === null
        ? null
        : integer(plan.storageGiB ?? STORAGE_GIB, at(place, 'storageGiB'), 0, ', or null for no limit'),
    creditsPerCycle: isThere ? integerOrNull(plan, 'creditsPerCycle', place, 0) : null,
    price:
      plan.price === undefined || plan.price === null ? null : readMoney(plan.price, at(place, 'price'), 0),
  }
}

function readModules(value: unknown, place: Place): Module[] {
  if (!Array.isArray(value)) {
    say(place, `must be a list of modules: ${MODULE_NAMES.join(', ')}`, value)
    return []
  }
  return [
    ...new Set(
      value.flatMap(
        (one, index) => oneOf(one, { ...place, path: `${place.path}[${index}]` }, MODULE_NAMES) ?? [],
      ),
    ),
  ]
}

function readPack(value: unknown, place: Place): PlanBook['creditPack'] {
  const pack = value === null ? undefined : objectAt(value, place, ['credits', 'price'])
  if (pack === undefined) return null
  const credits = integer(pack.credits, at(place, 'credits'), 1)
  const price = readMoney(pack.price, at(place, 'price'), 1)
  return price === null ? null : { credits, price }
}

function readPrices(value: unknown, place: Place): Record<Action, number> {
  const given = objectAt(value, place, ACTIONS) ?? {}
  const prices: Record<Action, number> = { ...BUILT_IN_PLANS.prices }
  for (const action of ACTIONS) {
    if (given[action] === undefined) continue
    prices[action] = integer(given[action], { ...place, path: `${place.path}["${action}"]` }, 0)
  }
  return prices
}

function readMoney(value: unknown, place: Place, min: number): Money | null {
  const money = objectAt(value, place, ['amount', 'currency'])
  if (money === undefined) return null
  const amount = integer(money.amount, at(place, 'amount'), min)
  const { currency } = money
  if (typeof currency === 'string' && CURRENCY.test(currency)) return { amount, currency }
  say(at(place, 'currency'), 'must be a currency of three letters in lower case, such as "usd"', currency)
  return null
}

function integerOrNull(of: Json, name: string, place: Place, min: number): number | null {
  return of[name] === null ? null : integer(of[name], at(place, name), min, ', or null for no limit')
}

function integer(value: unknown, place: Place, min: number, or = '', max = MOST): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
  say(place, `must be a whole number from ${min} to ${groupDigits(max)}${or}`, value)
  return 0
}

function oneOf<const T extends string>(value: unknown, place: Place, names: readonly T[]): T | undefined {
  const found = names.find((name) => name === value)
  if (found === undefined) say(place, `must be one of ${names.join(', ')}`, value)
  return found
}
