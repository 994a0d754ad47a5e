import { grant, reverse } from '../billing/credits/grants.ts'
import { readBalance, selectEntries, toEntry } from '../billing/credits/read-balance.ts'
import { completeCheckout } from '../billing/payments/complete-checkout.ts'
import { lockCheckout } from '../billing/payments/lock-checkout.ts'
import { toIso } from '../core/clock.ts'
import { readId } from '../core/id.ts'
import { groupDigits } from '../core/text/group-digits.ts'
import { isLabel } from '../core/text/label.ts'
import { formatMoney } from '../core/text/money.ts'
import type { Tables } from '../db/tables/tables.ts'
import { findOrganization, readOrganization } from './organization.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

type Organization = Tables['organization']
/** Acts and prints the result. @returns the value for `--json`; undefined after a printed error */
type Act = (context: Context, terminal: Terminal) => Promise<object | undefined>

/** Ledger entries in the list. */
const NEWEST = 20
/** Longest text of a ledger entry, in characters. */
const LONGEST_LINE = 200
/** The most credits of one command, as of one cycle of a plan. */
const MOST_CREDITS = 1_000_000_000

/** `postern credits`: shows, grants and takes credits, and confirms payments. */
export const credits: Command = {
  about: 'Shows, grants and reverses credits; settles checkouts.',
  usage:
    'postern credits [--settle CHECKOUT | --organization NAME [--grant NUMBER | --reverse ENTRY] [--reason TEXT] [--key KEY]]',
  options: {
    organization: {
      type: 'string',
      about: 'Organization whose balance and newest entries are shown or changed.',
    },
    grant: { type: 'string', about: 'Number of credits to give, which do not expire.' },
    reverse: { type: 'string', about: 'Entry of the ledger to reverse: a debit, a grant or a purchase.' },
    reason: { type: 'string', about: 'Reason, which the organization sees in its ledger.' },
    key: { type: 'string', about: 'Name of the grant: the same key grants credits once.' },
    settle: {
      type: 'string',
      about:
        'Marks a checkout as paid and gives its credits or plan. Without any option, open checkouts are listed.',
    },
  },
  async run(terminal, options) {
    const act = readAct(options)
    return withStore(terminal, async (context) => {
      const result = await act(context, terminal)
      if (result === undefined) return 1
      terminal.answer(result)
      return 0
    })
  },
}

/** @throws UsageError */
function readAct(options: Options): Act {
  const verbs = ['settle', 'grant', 'reverse'].filter((name) => options[name] !== undefined)
  if (verbs.length > 1) throw new UsageError('Only one of --settle, --grant and --reverse can be given.')
  if (options.settle !== undefined) return readSettle(options)
  if (Object.keys(options).length === 0) return showOpenCheckouts
  const name = readOrganization(options)
  const act = options.grant !== undefined ? readGrant(options) : readReverse(options)
  return async (context, terminal) => {
    const organization = await findOrganization(context.database.db, terminal, name)
    if (organization === undefined) return undefined
    await act?.(context, terminal, organization)
    return showBalance(context, terminal, organization)
  }
}

type ActOnOne = (context: Context, terminal: Terminal, organization: Organization) => Promise<void>

function readGrant(options: Options): ActOnOne {
  const amount = Number(options.grant)
  if (!/^\d{1,10}$/.test(String(options.grant)) || amount < 1 || amount > MOST_CREDITS)
    throw new UsageError(`--grant must be a whole number from 1 to ${groupDigits(MOST_CREDITS)}.`)
  const reason = readLine(options, 'reason')
  const given = options.key === undefined ? undefined : readLine(options, 'key')
  return async ({ database, config, trail }, terminal, { id, name }) => {
    const key = given ?? trail.requestId
    const { isNew } = await database.tx((tx) =>
      grant(tx, config.plans.book, trail, { organizationId: id, credits: amount, reason, key }),
    )
    terminal.print(
      isNew
        ? `${name} has ${groupDigits(amount)} credits more.`
        : `Granted before under this key; nothing has changed.`,
    )
  }
}

/** Reads an option whose text is stored in the ledger. @throws UsageError */
function readLine(options: Options, name: string): string {
  const text = String(options[name] ?? '').trim()
  if (!isLabel(text, LONGEST_LINE))
    throw new UsageError(`--${name} must be a text of 1 to ${LONGEST_LINE} characters, on one line.`)
  return text
}

function readReverse(options: Options): ActOnOne | undefined {
  if (options.reverse === undefined) return undefined
  const entryId = readId('ledgerEntry', String(options.reverse))
  if (entryId === undefined) throw new UsageError('--reverse must be the id of an entry: led_…')
  const reason = options.reason === undefined ? 'taken back' : readLine(options, 'reason')
  return async ({ database, config, trail }, terminal, { id }) => {
    const { entry, isNew, spent } = await database.tx((tx) =>
      reverse(tx, config.plans.book, trail, { organizationId: id, entryId, reason }),
    )
    const moved = entry.cycle_amount + entry.purchased_amount
    terminal.print(
      isNew ? `Taken back: ${signed(moved)} credits.` : 'It was taken back before; nothing has changed.',
    )
    if (isNew && spent > 0) terminal.print(`${groupDigits(spent)} of them were spent already and stay so.`)
  }
}

function readSettle(options: Options): Act {
  const id = readId('checkout', String(options.settle))
  if (id === undefined) throw new UsageError('--settle must be the id of a checkout: chk_…')
  return async ({ database, config, trail }, terminal) => {
    const row = await database.db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined) {
      terminal.complain(`There is no checkout ${id}.`)
      return undefined
    }
    const deps = { book: config.plans.book, forgetCallers() {} }
    const isFirst = await database.tx(async (tx) => {
      const locked = await lockCheckout(tx, id)
      return locked?.organization && completeCheckout(tx, deps, trail, locked)
    })
    if (isFirst === undefined) {
      terminal.complain(`The organization of ${id} is deleted; nothing has changed. Pay its money back.`)
      return undefined
    }
    if (!isFirst) {
      const state = row.status === 'refunded' ? 'refunded' : 'paid already'
      terminal.complain(`${id} is ${state}; nothing has changed.`)
      return undefined
    }
    terminal.print(`Settled: ${whatOf(row)}. A running server follows within 5 s.`)
    return { checkoutId: id, credits: row.credits, plan: row.plan, status: 'paid' }
  }
}

async function showBalance(
  { database, config, trail }: Context,
  terminal: Terminal,
  { id, name }: Organization,
): Promise<object> {
  const balance = await readBalance({ database, book: config.plans.book }, id, trail.now)
  const entries = await selectEntries(database.db, id, { take: NEWEST, before: undefined })
  const [total, cycle, purchased, reserved] = [
    balance.balance,
    balance.cycleCredits,
    balance.purchasedCredits,
    balance.reserved,
  ].map(groupDigits)
  terminal.print(
    `${name}, plan ${balance.plan}: ${total} credits${balance.unlimited ? ', and no limit' : ''}.`,
  )
  terminal.print(
    `  ${cycle} of this cycle (until ${balance.cycle.renewsAt}), ${purchased} that stay; ${reserved} set aside.`,
  )
  for (const entry of entries) {
    const amount = signed(entry.cycle_amount + entry.purchased_amount).padStart(9)
    const what = [entry.kind, entry.action, entry.reference, entry.reason].filter((part) => part !== null)
    terminal.print(`  ${toIso(entry.created_at)} ${entry.id} ${amount} ${what.join(', ')}`)
  }
  return { organizationId: id, ...balance, entries: entries.map(toEntry) }
}

const showOpenCheckouts: Act = async ({ database, trail }, terminal) => {
  const rows = await database.db
    .selectFrom('checkout')
    .innerJoin('organization', 'organization.id', 'checkout.organization_id')
    .selectAll('checkout')
    .select('organization.name')
    .where('status', '=', 'open')
    .where('expires_at', '>', trail.now)
    .orderBy('checkout.id')
    .limit(1_000)
    .execute()
  if (rows.length === 0) terminal.print('No checkout is open.')
  for (const row of rows)
    terminal.print(`${row.id}  ${toIso(row.created_at)}  ${row.name}: ${whatOf(row)}, by ${row.provider}`)
  return rows.map(({ id, name, credits: bought, plan, amount, currency, provider }) => ({
    checkoutId: id,
    organization: name,
    credits: bought,
    plan,
    price: { amount, currency },
    provider,
  }))
}

function whatOf({ credits: bought, plan, amount, currency }: Tables['checkout']): string {
  const what = plan === null ? `${groupDigits(bought ?? 0)} credits` : `plan ${plan}`
  return `${what} for ${formatMoney({ amount, currency })}`
}

function signed(amount: number): string {
  return `${amount > 0 ? '+' : ''}${groupDigits(amount)}`
}
