import { changePlan } from '../access/change-plan.ts'
import { PLAN_NAMES, PLANS } from '../core/limits.ts'
import { type Command, UsageError } from './terminal.ts'
import { withStore } from './with-store.ts'

/** `postern plan`: how many requests a minute an organization may make. */
export const plan: Command = {
  about: "Changes an organization's plan.",
  usage: 'postern plan --organization NAME --plan PLAN',
  options: {
    organization: { type: 'string', about: 'Its name.' },
    plan: {
      type: 'string',
      about: `One of ${PLAN_NAMES.map((name) => `${name} (${PLANS[name] ?? 'any number of'} requests a minute)`).join(', ')}.`,
    },
  },
  async run(terminal, options) {
    const name = String(options.organization ?? '').trim()
    const wanted = PLAN_NAMES.find((known) => known === options.plan)
    if (name === '') throw new UsageError('--organization must be the name of an organization.')
    if (wanted === undefined) throw new UsageError(`--plan must be one of ${PLAN_NAMES.join(', ')}.`)
    return withStore(terminal, async ({ database, trail }) => {
      const before = await database.tx((tx) => changePlan(tx, trail, name, wanted))
      if (before === undefined) {
        terminal.complain(`There is no organization "${name}".`)
        return 1
      }
      terminal.print(
        before === wanted
          ? `${name} has the plan ${wanted} already.`
          : `${name} has the plan ${wanted} now, it had ${before}. A running server follows within 5 s.`,
      )
      return 0
    })
  },
}
