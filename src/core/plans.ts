import { ApiError } from './errors.ts'

/** The modules that plans include. A route declares its module. */
const MODULES = {
  webhooks: 'webhooks, events and their deliveries',
  connections: 'connections to external providers',
  files: 'files and their text',
  knowledge: 'knowledge bases and search',
  agents: 'agents, runs, conversations and MCP servers',
} as const satisfies Record<string, string>

export type Module = keyof typeof MODULES
export const MODULE_NAMES = Object.keys(MODULES) as Module[]

/** Actions that cost credits. */
export const ACTIONS = ['connection.fetch', 'file.process', 'document.index', 'run.step'] as const
export type Action = (typeof ACTIONS)[number]

/** The periods after which credits are renewed. */
export const CYCLES = ['day', 'week', 'month', 'year'] as const
export type Cycle = (typeof CYCLES)[number]

/** An amount in the smallest unit of its currency (ISO 4217, in lower case as payment providers write it). */
export interface Money {
  amount: number
  currency: string
}

export interface Plan {
  name: string
  /** null: unlimited. */
  requestsPerMinute: number | null
  modules: readonly Module[]
  /** Webhooks of an organization at most. */
  webhooks: number
  /** Storage of an organization in GiB; null: unlimited. */
  storageGiB: number | null
  /** null: unlimited. */
  creditsPerCycle: number | null
  /** The price of one cycle; null: not for sale, an operator assigns the plan. */
  price: Money | null
}

/** All plans and prices: the file that `PLANS_FILE` names, or `BUILT_IN_PLANS`. */
export interface PlanBook {
  plans: ReadonlyMap<string, Plan>
  cycle: Cycle
  /** Credits are sold in multiples of this pack; null: they are not for sale. */
  creditPack: { credits: number; price: Money } | null
  /** Credits that each action costs. */
  prices: Readonly<Record<Action, number>>
}

/** Modules that are on or off for one organization, regardless of its plan. */
export type Flags = Partial<Record<Module, boolean>>

/** Webhooks of an organization at most: an event for all of them makes as many deliveries. */
export const MOST_WEBHOOKS = 10_000

const plan = (
  name: string,
  requestsPerMinute: number | null,
  modules: Module[],
  webhooks: number,
  storageGiB: number | null,
  creditsPerCycle: number | null,
  price: number | null,
): [string, Plan] => [
  name,
  {
    name,
    requestsPerMinute,
    modules,
    webhooks,
    storageGiB,
    creditsPerCycle,
    price: price === null ? null : { amount: price, currency: 'usd' },
  },
]

export const BUILT_IN_PLANS: PlanBook = {
  plans: new Map([
    plan('free', 60, ['webhooks', 'files'], 20, 1, 100, 0),
    plan('team', 600, MODULE_NAMES, 100, 20, 10_000, 2_900),
    plan('scale', 6_000, MODULE_NAMES, 1_000, 200, 100_000, 19_900),
    plan('unlimited', null, MODULE_NAMES, MOST_WEBHOOKS, null, null, null),
  ]),
  cycle: 'month',
  creditPack: { credits: 1_000, price: { amount: 500, currency: 'usd' } },
  prices: { 'connection.fetch': 1, 'file.process': 1, 'document.index': 1, 'run.step': 1 },
}

/**
 * The plan of that name. A process does not start while an organization has a plan that its book lacks. Where another process with
 * another book assigns one later, the organization gets the lowest limits of all plans and no modules.
 */
export function planOf({ plans }: PlanBook, name: string): Plan {
  return plans.get(name) ?? leastOf(name, [...plans.values()])
}

function leastOf(name: string, plans: Plan[]): Plan {
  const rates = plans.flatMap(({ requestsPerMinute }) => requestsPerMinute ?? [])
  const requestsPerMinute = rates.length === 0 ? null : Math.min(...rates)
  const webhooks = Math.min(...plans.map((plan) => plan.webhooks))
  const stored = plans.flatMap(({ storageGiB }) => storageGiB ?? [])
  const storageGiB = stored.length === 0 ? null : Math.min(...stored)
  return { name, requestsPerMinute, modules: [], webhooks, storageGiB, creditsPerCycle: 0, price: null }
}

/** Whether an organization may use a module: by its flag, or by its plan where it has no flag. */
export function hasModule(plan: Plan, flags: Flags, module: Module): boolean {
  return flags[module] ?? plan.modules.includes(module)
}

/** @throws ApiError MODULE_NOT_ENABLED with the names of the plans that have the module */
export function requireModule(book: PlanBook, planName: string, flags: Flags, module: Module): void {
  if (hasModule(planOf(book, planName), flags, module)) return
  const plans = [...book.plans.values()].filter((plan) => plan.modules.includes(module))
  throw new ApiError('MODULE_NOT_ENABLED', { module, plans: plans.map(({ name }) => name) })
}

/** Reads a column of flags. Modules that this version does not know are ignored. */
export function readFlags(text: string): Flags {
  const known = Object.entries(JSON.parse(text) as object).filter(([name]) => Object.hasOwn(MODULES, name))
  return Object.fromEntries(known) as Flags
}
