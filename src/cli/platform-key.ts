import { MOST_FORMER, OVERLAP_HOURS, OVERLAP_MOST_HOURS } from '../access/keys/former-secrets.ts'
import { readAddresses } from '../access/keys/key-addresses.ts'
import { endPlatformKey } from '../access/platform/end-platform-key.ts'
import {
  addPlatformKey,
  changePlatformKey,
  type NewPlatformKey,
  type PlatformKeyChange,
  rotatePlatformKey,
  toPlatformKey,
} from '../access/platform/platform-key-store.ts'
import { HOUR, toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type Id, readId } from '../core/id.ts'
import { isLabel } from '../core/text/label.ts'
import { isPermission, PERMISSION_NAMES } from '../http/permissions.ts'
import { type Command, type Options, type Terminal, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

type Act = (context: Context, terminal: Terminal) => Promise<number>

/** The options of each verb beside the common ones. */
const VERBS: Record<string, { read: (options: Options) => Act; takes: string[] }> = {
  create: {
    read: create,
    takes: ['name', 'scopes', 'expires-in-days', 'may-create-organizations', 'allowed-addresses'],
  },
  list: { read: () => list, takes: [] },
  change: { read: change, takes: ['id', 'name', 'expires-in-days', 'allowed-addresses'] },
  rotate: { read: rotate, takes: ['id', 'overlap-hours'] },
  revoke: { read: revoke, takes: ['id', 'with-made'] },
}
const MOST_DAYS = 3_650

/** `postern platform-key`: makes, lists, rotates and revokes keys that act for any organization. */
export const platformKey: Command = {
  about: 'Creates, lists, changes, rotates and revokes keys that act for any organization.',
  usage:
    'postern platform-key create --name NAME --scopes LIST|all [--may-create-organizations] [--expires-in-days DAYS] [--allowed-addresses LIST] | list | change --id KEY [--name NAME] [--expires-in-days DAYS|never] [--allowed-addresses LIST|any] | rotate --id KEY [--overlap-hours HOURS] | revoke --id KEY [--with-made]',
  verbs: Object.keys(VERBS),
  options: {
    name: { type: 'string', about: 'The name of the key; organizations see it in their audit logs.' },
    scopes: { type: 'string', about: 'Its permissions, separated by commas, such as events:write; or all.' },
    'may-create-organizations': {
      type: 'boolean',
      default: false,
      about: 'Lets it make an organization for an unknown external id.',
    },
    'expires-in-days': {
      type: 'string',
      about: 'Days until it expires, or never. Default: never.',
    },
    'allowed-addresses': {
      type: 'string',
      about: 'Networks that may use it (CIDR), separated by commas, or any. Default: any.',
    },
    id: { type: 'string', about: 'The key: pky_…' },
    'overlap-hours': {
      type: 'string',
      about: `Hours for which the previous secret stays valid. Default: ${OVERLAP_HOURS}.`,
    },
    'with-made': {
      type: 'boolean',
      default: false,
      about: 'Also deletes the API keys that were made with it, and with those keys.',
    },
  },
  async run(terminal, options, verb) {
    const act = readAct(options, verb)
    return withStore(terminal, (context) => act(context, terminal))
  },
}

/** @throws UsageError */
function readAct(options: Options, verb = ''): Act {
  const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
  if (known === undefined) throw new UsageError(`Say what to do: ${Object.keys(VERBS).join(', ')}.`)
  const other = Object.keys(options).find(
    (name) => options[name] !== undefined && options[name] !== false && !known.takes.includes(name),
  )
  if (other !== undefined) throw new UsageError(`--${other} does not belong to ${verb}.`)
  return known.read(options)
}

function create(options: Options): Act {
  const wanted = readNew(options)
  return async ({ database, trail }, terminal) => {
    const { row, key } = await database.tx((tx) => addPlatformKey(tx, trail, wanted))
    const { name, expiresAt } = toPlatformKey(row)
    terminal.print(
      `The key ${row.id} ("${name}")${expiresAt === null ? ' does not expire' : ` expires ${expiresAt}`}. It is shown this once:`,
    )
    terminal.print(`\n  ${key}\n`)
    terminal.print('Name the organization in each request: Postern-Organization: org_… or ext:…')
    terminal.answer({ ...toPlatformKey(row), key })
    return 0
  }
}

/** @throws UsageError */
function readNew(options: Options): NewPlatformKey {
  return {
    name: readName(options),
    scopes: readScopes(options.scopes),
    mayCreateOrganizations: options['may-create-organizations'] === true,
    allowedAddresses: readNetworks(options['allowed-addresses']) ?? null,
    expiresInDays: readDays(options) ?? undefined,
  }
}

/** @throws UsageError */
function readName(options: Options): string {
  const name = String(options.name ?? '').trim()
  if (!isLabel(name, 100)) throw new UsageError('--name must be a name of 1 to 100 characters.')
  return name
}

/**
 * @returns null for `never`, undefined where nothing is said
 * @throws UsageError
 */
function readDays(options: Options): number | null | undefined {
  const days = options['expires-in-days']
  if (days === undefined) return undefined
  return days === 'never' ? null : readNumber(options, 'expires-in-days', [1, MOST_DAYS])
}

const listed = (text: Options[string]) =>
  String(text ?? '')
    .split(',')
    .map((one) => one.trim())

/** @throws UsageError */
function readScopes(text: Options[string]): NewPlatformKey['scopes'] {
  if (text === 'all') return null
  const names = listed(text)
  const unknown = names.find((name) => !isPermission(name))
  if (unknown !== undefined)
    throw new UsageError(
      `--scopes must be all, or some of ${PERMISSION_NAMES.join(', ')}, separated by commas${unknown === '' ? '' : `; there is no ${unknown}`}.`,
    )
  return names.filter(isPermission)
}

/**
 * @returns null for `any`, undefined where nothing is said
 * @throws UsageError
 */
function readNetworks(text: Options[string]): string | null | undefined {
  if (text === undefined) return undefined
  if (text === 'any') return null
  try {
    return readAddresses(listed(text))
  } catch {
    throw new UsageError('--allowed-addresses must be networks such as 203.0.113.0/24, separated by commas.')
  }
}

/** @throws UsageError */
function readNumber(options: Options, option: string, [least, most]: [number, number]): number {
  const text = String(options[option])
  const number = Number(text)
  if (!/^\d{1,4}$/.test(text) || number < least || number > most)
    throw new UsageError(`--${option} must be a whole number from ${least} to ${most}.`)
  return number
}

const list: Act = async ({ database }, terminal) => {
  const rows = await database.db.selectFrom('platform_key').selectAll().orderBy('id').execute()
  const keys = rows.map(toPlatformKey)
  if (keys.length === 0)
    terminal.print('There is no key of the installation. "postern platform-key create" makes one.')
  for (const { id, name, scopes, hint, expiresAt, lastUsedAt, mayCreateOrganizations } of keys)
    terminal.print(
      `${id}  …${hint}  ${name}: ${scopes === null ? 'all scopes' : scopes.join(' ')}, ${mayCreateOrganizations ? 'makes organizations, ' : ''}${expiresAt === null ? 'does not expire' : `expires ${expiresAt}`}, ${lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`}`,
    )
  terminal.answer(keys)
  return 0
}

function change(options: Options): Act {
  const id = readKeyId(options)
  const wanted: PlatformKeyChange = {
    name: options.name === undefined ? undefined : readName(options),
    allowedAddresses: readNetworks(options['allowed-addresses']),
    expiresInDays: readDays(options),
  }
  if (Object.values(wanted).every((value) => value === undefined))
    throw new UsageError('Say what to change: --name, --expires-in-days or --allowed-addresses.')
  return onKey(id, async ({ database, trail }, terminal) => {
    const row = await database.tx((tx) => changePlatformKey(tx, trail, id, wanted))
    const { name, expiresAt, allowedAddresses } = toPlatformKey(row)
    terminal.print(
      `The key ${id} ("${name}") ${expiresAt === null ? 'does not expire' : `expires ${expiresAt}`} and may come from ${allowedAddresses?.join(', ') ?? 'anywhere'}. Servers know it within 5 s.`,
    )
    terminal.answer(toPlatformKey(row))
  })
}

function rotate(options: Options): Act {
  const id = readKeyId(options)
  const hours =
    options['overlap-hours'] === undefined
      ? OVERLAP_HOURS
      : readNumber(options, 'overlap-hours', [0, OVERLAP_MOST_HOURS])
  return onKey(id, async ({ database, trail }, terminal) => {
    const { row, key, previousExpiresAt } = await database.tx((tx) =>
      rotatePlatformKey(tx, trail, id, hours * HOUR),
    )
    terminal.print(`The key ${id} ("${row.name}") has another secret, which is shown this once:`)
    terminal.print(`\n  ${key}\n`)
    terminal.print(`The one before is accepted until ${toIso(previousExpiresAt)}.`)
    terminal.answer({ ...toPlatformKey(row), key, previousExpiresAt: toIso(previousExpiresAt) })
  })
}

function revoke(options: Options): Act {
  const id = readKeyId(options)
  const withMade = options['with-made'] === true
  return onKey(id, async ({ database, trail }, terminal) => {
    const { name } = await database.tx((tx) => endPlatformKey(tx, trail, id, { withMade }))
    terminal.print(`The key ${id} ("${name}") is revoked. Servers refuse it within 5 s.`)
    terminal.answer({ id, name, status: 'revoked' })
  })
}

/** @throws UsageError */
function readKeyId(options: Options): Id<'platformKey'> {
  const id = readId('platformKey', String(options.id ?? ''))
  if (id === undefined) throw new UsageError('--id must be the id of a key: pky_…')
  return id
}

/** The sentence for each code of a refusal. */
const REFUSALS: Record<string, (id: string) => string> = {
  ENTITY_NOT_FOUND: (id) => `There is no key ${id}. "postern platform-key list" shows those that there are.`,
  FORBIDDEN: (id) =>
    `The key ${id} has ${MOST_FORMER} earlier secrets that still work, and no more are kept. Rotate it when one has ended, or end all of them with --overlap-hours 0.`,
}

/** Runs `act`, and prints an error where the key is missing or cannot be rotated. */
function onKey(id: string, act: (context: Context, terminal: Terminal) => Promise<void>): Act {
  return async (context, terminal) => {
    try {
      await act(context, terminal)
      return 0
    } catch (error) {
      const refusal = error instanceof ApiError ? REFUSALS[error.code] : undefined
      if (refusal === undefined) throw error
      terminal.complain(refusal(id))
      return 1
    }
  }
}
