import { pause, toIso } from '../core/clock.ts'
import { EXTERNAL_ID_RULE, isExternalId } from '../core/text/external-id.ts'
import { groupDigits } from '../core/text/group-digits.ts'
import { disableOrganization, enableOrganization } from '../operator/disable-organization.ts'
import { endOrganization } from '../operator/end-organization.ts'
import { CREDENTIALS_FORGOTTEN } from '../operator/late-writes.ts'
import { selectOrganizations } from '../operator/list-organizations.ts'
import { lockOrganization, renameOrganization, setExternalId } from '../organizations/organizations.ts'
import { findOrganization } from './organization.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

/** Acts and prints the result. @returns the exit code */
type Act = (context: Context, terminal: Terminal) => Promise<number>

/** `postern organizations`: lists, disables, enables and deletes organizations. */
export const organizations: Command = {
  about: 'Lists the organizations; renames, disables, enables or deletes one, or sets its external id.',
  usage:
    'postern organizations [--external-id ID | --rename NAME --to NAME | --identify NAME --external-id ID | --disable NAME | --enable NAME | --delete NAME [--yes]]',
  options: {
    rename: { type: 'string', about: 'Present name of the organization to rename.' },
    to: { type: 'string', about: 'New name of the organization.' },
    identify: {
      type: 'string',
      about: 'Name of the organization that gets the external id; an empty one removes it.',
    },
    'external-id': {
      type: 'string',
      about: 'Id of an organization in your platform; alone, lists the organization with it.',
    },
    disable: {
      type: 'string',
      about: 'Refuses its members and keys, holds its deliveries, and cancels its runs; its data stays.',
    },
    enable: {
      type: 'string',
      about: 'Gives its members and keys access again, and sends held deliveries.',
    },
    delete: {
      type: 'string',
      about: 'Ends its memberships, keys, webhooks, connections and subscriptions; this cannot be undone.',
    },
    yes: { type: 'boolean', default: false, about: 'Deletes without a confirmation of its name.' },
  },
  async run(terminal, options) {
    const act = readAct(options)
    return withStore(terminal, (context) => act(context, terminal))
  },
}

/** @throws UsageError */
function readAct(options: Options): Act {
  const verbs = ['rename', 'identify', 'disable', 'enable', 'delete'].filter(
    (name) => options[name] !== undefined,
  )
  if (verbs.length > 1)
    throw new UsageError('Only one of --rename, --identify, --disable, --enable and --delete can be given.')
  if ((options.rename === undefined) !== (options.to === undefined))
    throw new UsageError('--rename and --to belong together.')
  const externalId = readExternalId(options)
  if (options.identify !== undefined) {
    if (externalId === undefined) throw new UsageError('--identify and --external-id belong together.')
    return identify(readName(options, 'identify'), externalId === '' ? null : externalId)
  }
  if (externalId !== undefined && verbs.length > 0)
    throw new UsageError('--external-id stands alone or with --identify.')
  if (options.rename !== undefined) return rename(readName(options, 'rename'), readName(options, 'to'))
  if (options.disable !== undefined) return setStatus(readName(options, 'disable'), 'disabled')
  if (options.enable !== undefined) return setStatus(readName(options, 'enable'), 'active')
  if (options.delete !== undefined) return remove(readName(options, 'delete'), options.yes === true)
  return list(externalId)
}

/** @returns '' to remove the external id, undefined without the option. @throws UsageError */
function readExternalId(options: Options): string | undefined {
  const given = options['external-id']
  if (given === undefined || isExternalId(String(given))) return given as string | undefined
  if (given === '' && options.identify !== undefined) return ''
  throw new UsageError(EXTERNAL_ID_RULE)
}

function readName(options: Options, option: string): string {
  const name = String(options[option]).trim()
  if (name === '' || name.length > 100)
    throw new UsageError(`--${option} must be a name of 1 to 100 characters.`)
  return name
}

/** @param externalId lists only the organization with it; undefined lists all */
function list(externalId: string | undefined): Act {
  return async ({ database }, terminal) => {
    const rows = await selectOrganizations(database.db)
      .$if(externalId !== undefined, (query) => query.where('external_id', '=', externalId ?? ''))
      .orderBy('name')
      .execute()
    if (rows.length === 0)
      terminal.print(
        externalId === undefined
          ? 'There is no organization yet. "postern invite" makes one.'
          : `There is no organization with the external id ${externalId}.`,
      )
    for (const { id, name, external_id, plan, members, webhooks, created_at, disabled_at } of rows)
      terminal.print(
        `${id}  ${toIso(created_at)}  ${name}: ${external_id === null ? '' : `external id ${external_id}, `}plan ${plan}, ${counted(members, 'member')}, ${counted(webhooks, 'webhook')}${disabled_at === null ? '' : ', disabled'}`,
      )
    terminal.answer(
      rows.map(({ id, name, external_id, plan, members, webhooks, created_at, disabled_at }) => ({
        organizationId: id,
        name,
        externalId: external_id,
        status: disabled_at === null ? 'active' : 'disabled',
        plan,
        members: Number(members),
        webhooks: Number(webhooks),
        createdAt: toIso(created_at),
      })),
    )
    return 0
  }
}

function identify(name: string, externalId: string | null): Act {
  return async ({ database, trail }, terminal) => {
    const known = await findOrganization(database.db, terminal, name)
    if (known === undefined) return 1
    const { id: organizationId } = known
    try {
      await database.tx(async (tx) => {
        const row = await lockOrganization(tx, organizationId)
        if (row === undefined)
          throw new Error(`The organization "${name}" was deleted in the same moment; nothing has changed.`)
        await setExternalId(tx, trail, row, externalId)
      })
    } catch (error) {
      if (!database.isUniqueViolation(error)) throw error
      terminal.complain(`There is an organization with the external id ${externalId} already.`)
      return 1
    }
    database.notifier.notify('credentials')
    terminal.print(
      externalId === null
        ? `"${name}" has no external id any more.`
        : `"${name}" has the external id ${externalId}.`,
    )
    terminal.answer({ organizationId, name, externalId })
    return 0
  }
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
    // Servers cache accepted credentials for seconds. What requests made in that time ends too.
    await pause(CREDENTIALS_FORGOTTEN)
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
  return `${groupDigits(Number(count ?? 0))} ${word}${Number(count) === 1 ? '' : 's'}`
}
