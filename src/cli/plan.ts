import { changePlan } from '../billing/plans/change-plan.ts'
import { setFlag } from '../billing/plans/set-flag.ts'
import { readConfig } from '../config/config.ts'
import {
  hasModule,
  MODULE_NAMES,
  type Module,
  type Plan,
  type PlanBook,
  planOf,
  readFlags,
} from '../core/plans.ts'
import { groupDigits } from '../core/text/group-digits.ts'
import { formatMoney } from '../core/text/money.ts'
import type { Tables } from '../db/tables/tables.ts'
import { findOrganization, readOrganization } from './organization.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

/** The options as read. */
interface Wish {
  plan: string | undefined
  flags: [Module, boolean | null][]
}

/** The value that each option gives a module's flag. */
const FLAG_OPTIONS = { enable: true, disable: false, inherit: null } as const

/** `postern plan`: shows and changes the plan, limits and modules of an organization. */
export const plan: Command = {
  about: "Lists the plans; shows or changes an organization's plan, and turns its modules on and off.",
  usage:
    'postern plan [--organization NAME [--plan PLAN] [--enable MODULE] [--disable MODULE] [--inherit MODULE]]',
  options: {
    organization: { type: 'string', about: 'Name of the organization. Default: all plans are listed.' },
    plan: { type: 'string', about: 'New plan of the organization.' },
    enable: {
      type: 'string',
      about: `Turns a module on, whether or not the plan has it: ${MODULE_NAMES.join(', ')}.`,
    },
    disable: { type: 'string', about: 'Turns a module off, whether or not the plan has it.' },
    inherit: { type: 'string', about: 'Lets the plan decide about a module again.' },
  },
  async run(terminal, options) {
    const { book } = readConfig(terminal.env).plans
    if (Object.keys(options).length === 0) {
      for (const one of book.plans.values()) terminal.print(describe(one))
      terminal.answer([...book.plans.values()])
      return 0
    }
    const name = readOrganization(options)
    const wish = readWish(options, book)
    return withStore(terminal, async (context) => {
      const organization = await findOrganization(context.database.db, terminal, name)
      if (organization === undefined) return 1
      await change(context, terminal, organization, wish)
      return 0
    })
  },
}

/** @throws UsageError */
function readWish(options: Options, book: PlanBook): Wish {
  const names = [...book.plans.keys()]
  const wanted = names.find((known) => known === options.plan)
  if (options.plan !== undefined && wanted === undefined)
    throw new UsageError(`--plan must be one of ${names.join(', ')}.`)
  const flags = Object.entries(FLAG_OPTIONS).flatMap(([option, isOn]): Wish['flags'] => {
    if (options[option] === undefined) return []
    const module = MODULE_NAMES.find((known) => known === options[option])
    if (module === undefined) throw new UsageError(`--${option} must be one of ${MODULE_NAMES.join(', ')}.`)
    return [[module, isOn]]
  })
  if (new Set(flags.map(([module]) => module)).size < flags.length)
    throw new UsageError('A module can be named in one of --enable, --disable and --inherit.')
  return { plan: wanted, flags }
}

/** Makes all changes or none, then prints the result. */
async function change(
  { database, config, trail }: Context,
  terminal: Terminal,
  { id, name, plan: before, flags: flagsBefore }: Tables['organization'],
  wish: Wish,
): Promise<void> {
  const { book } = config.plans
  const forgetCallers = () => {}
  const flags = await database.tx(async (tx) => {
    if (wish.plan !== undefined)
      await changePlan(tx, { book, forgetCallers }, trail, {
        organizationId: id,
        plan: wish.plan,
        actorId: null,
      })
    let now = readFlags(flagsBefore)
    for (const [module, isOn] of wish.flags)
      now = await setFlag(tx, forgetCallers, trail, { organizationId: id, module, isOn })
    return now
  })
  const after = wish.plan ?? before
  if (wish.plan === undefined) terminal.print(`${name} has the plan ${after}.`)
  else if (wish.plan === before) terminal.print(`${name} has the plan ${after} already.`)
  else terminal.print(`${name} has the plan ${after} now, it had ${before}.`)
  for (const module of MODULE_NAMES) {
    const source = flags[module] === undefined ? 'by its plan' : 'by its flag'
    terminal.print(`  ${module}: ${hasModule(planOf(book, after), flags, module) ? 'on' : 'off'}, ${source}`)
  }
  const modules = MODULE_NAMES.map((module) => [module, hasModule(planOf(book, after), flags, module)])
  terminal.answer({ organizationId: id, name, plan: after, modules: Object.fromEntries(modules), flags })
  if (wish.plan !== undefined || wish.flags.length > 0) terminal.print('A running server follows within 5 s.')
  const paid = await database.db
    .selectFrom('subscription')
    .select(['id', 'plan'])
    .where('organization_id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst()
  if (paid !== undefined && paid.plan !== after)
    terminal.print(`It still pays for ${paid.plan} by the subscription ${paid.id}: end that at Stripe.`)
}

function describe({ name, requestsPerMinute, modules, webhooks, creditsPerCycle, price }: Plan): string {
  return [
    name.padEnd(12),
    `${amount(requestsPerMinute)} requests a minute`,
    `${amount(creditsPerCycle)} credits a cycle`,
    `${amount(webhooks)} webhooks`,
    modules.length === 0 ? 'no modules' : modules.join(', '),
    price === null ? 'not for sale' : formatMoney(price),
  ].join('; ')
}

const amount = (limit: number | null) => (limit === null ? 'any number of' : groupDigits(limit))
