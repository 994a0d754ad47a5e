import { pause, toIso } from '../core/clock.ts'
import { grouped } from '../core/text/grouped.ts'
import { FORGOTTEN } from '../operator/aftermath.ts'
import { disableOrganization, enableOrganization } from '../operator/disable-organization.ts'
import { endOrganization } from '../operator/end-organization.ts'
import { selectOrganizations } from '../operator/list-organizations.ts'
import { renameOrganization } from '../organizations/organizations.ts'
import { findOrganization } from './organization.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

/** Does what was asked for. @returns the exit code */
type Act = (context: Context, terminal: Terminal) => Promise<number>

/** `postern organizations`: what an operator does to whole organizations. */
export const organizations: Command = {
  about: 'Lists the organizations; renames, disables, enables or deletes one.',
  usage:
    'postern organizations [--rename NAME --to NAME | --disable NAME | --enable NAME | --delete NAME [--yes]]',
  options: {
    rename: { type: 'string', about: 'The name it has.' },
    to: { type: 'string', about: 'The name it is to have.' },
    disable: {
      type: 'string',
      about:
        'Refuses its members and keys, holds its deliveries, and cancels its runs; it keeps all that it has.',
    },
    enable: {
      type: 'string',
      about: 'Gives its members and keys access again, and sends the deliveries that waited.',
    },
    delete: {
      type: 'string',
      about: 'Ends its memberships, keys, webhooks, connections and subscriptions; there is no way back.',
    },
    yes: { type: 'boolean', default: false, about: 'Deletes without asking for its name once more.' },
  },
  async run(terminal, options) {
    const act = readAct(options)
    return withStore(terminal, (context) => act(context, terminal))
  },
}

/** @throws UsageError */
function readAct(options: Options): Act {
  const verbs = ['rename', 'disable', 'enable', 'delete'].filter((name) => options[name] !== undefined)
  if (verbs.length > 1)
    throw new UsageError('Only one of --rename, --disable, --enable and --delete can be given.')
  if ((options.rename === undefined) !== (options.to === undefined))
    throw new UsageError('--rename and --to belong together.')
  if (options.rename !== undefined) return rename(readName(options, 'rename'), readName(options, 'to'))
  if (options.disable !== undefined) return setStatus(readName(options, 'disable'), 'disabled')
  if (options.enable !== undefined) return setStatus(readName(options, 'enable'), 'active')
  if (options.delete !== undefined) return remove(readName(options, 'delete'), options.yes === true)
  return list
}

function readName(options: Options, option: string): string {
  const name = String(options[option]).trim()
  if (name === '' || name.length > 100)
    throw new UsageError(`--${option} must be a name of 1 to 100 characters.`)
  return name
}

const list: Act = async ({ database }, terminal) => {
  const rows = await selectOrganizations(database.db).orderBy('name').execute()
  if (rows.length === 0) terminal.print('There is no organization yet. "postern invite" makes one.')
  for (const { id, name, plan, members, webhooks, created_at, disabled_at } of rows)
    terminal.print(
      `${id}  ${toIso(created_at)}  ${name}: plan ${plan}, ${counted(members, 'member')}, ${counted(webhooks, 'webhook')}${disabled_at === null ? '' : ', disabled'}`,
    )
  terminal.answer(
    rows.map(({ id, name, plan, members, webhooks, created_at, disabled_at }) => ({
      organizationId: id,
      name,
      status: disabled_at === null ? 'active' : 'disabled',
      plan,
      members: Number(members),
      webhooks: Number(webhooks),
      createdAt: toIso(created_at),
    })),
  )
  return 0
}

function rename(name: string, to: string): Act {
  return async ({ database, trail }, terminal) => {
    const known = await findOrganization(database.db, terminal, name)
    if (known === undefined) return 1
    const { id: organizationId } = known
    try {
      await database.tx(async (tx) => {
        if (!(await renameOrganization(tx, trail, known, to)))
          throw new Error(`The organization "${name}" was deleted in the same moment; nothing has changed.`)
      })
    } catch (error) {
      if (!database.isUniqueViolation(error)) throw error
      terminal.complain(`There is an organization "${to}" already.`)
      return 1
    }
    terminal.print(`"${name}" is named "${to}" now.`)
    terminal.answer({ organizationId, name: to })
    return 0
  }
}

function setStatus(name: string, status: 'active' | 'disabled'): Act {
  const change = status === 'disabled' ? disableOrganization : enableOrganization
  return async ({ database, trail }, terminal) => {
    const known = await findOrganization(database.db, terminal, name)
    if (known === undefined) return 1
    await database.tx((tx) => change(tx, trail, known.id))
    terminal.print(
      status === 'disabled'
        ? `"${name}" is disabled. Its members and keys are refused within 5 s, its deliveries wait; a running server cancels its runs within a minute.`
        : `"${name}" is active again. A running server sends the deliveries that waited; paused webhooks stay paused.`,
    )
    terminal.answer({ organizationId: known.id, name, status })
    return 0
  }
}

function remove(name: string, isSure: boolean): Act {
  return async ({ database, trail }, terminal) => {
    const known = await findOrganization(database.db, terminal, name)
    if (known === undefined) return 1
    const listed = await selectOrganizations(database.db)
      .where('organization.id', '=', known.id)
      .executeTakeFirst()
    if (!isSure && !(await isConfirmed(terminal, name, listed))) return 1
    await database.tx((tx) => endOrganization(tx, trail, known))
    database.notifier.notify('credentials')
    // A server remembers for a moment which credentials it has accepted: what was made with them since ends as well.
    await pause(FORGOTTEN)
    await database.tx((tx) => endOrganization(tx, trail, known))
    terminal.print(
      `"${name}" is deleted. Its ledger, paid checkouts and audit log are kept, under ${known.id}.`,
    )
    terminal.print('What it published is removed with time (RETENTION_DAYS); nothing of it is sent any more.')
    terminal.answer({ organizationId: known.id, name, status: 'deleted' })
    return 0
  }
}

async function isConfirmed(
  terminal: Terminal,
  name: string,
  listed: { members: number | null; webhooks: number | null } | undefined,
): Promise<boolean> {
  if (terminal.ask === undefined) {
    terminal.complain(
      `There is no terminal to confirm the deletion. Add --yes to delete "${name}" without a question.`,
    )
    return false
  }
  terminal.complain(
    `"${name}" has ${counted(listed?.members, 'member')} and ${counted(listed?.webhooks, 'webhook')}. There is no way back.`,
  )
  const answer = await terminal.ask('Type its name to delete it: ')
  if (answer.trim() === name) return true
  terminal.complain('That is not its name; nothing has changed.')
  return false
}

function counted(count: number | null | undefined, word: string): string {
  return `${grouped(Number(count ?? 0))} ${word}${Number(count) === 1 ? '' : 's'}`
}
