import { findAccount } from '../access/accounts/accounts.ts'
import { deleteAccount } from '../access/accounts/delete-account.ts'
import { disableAccount } from '../access/accounts/disable-account.ts'
import { enableAccount } from '../access/accounts/enable-account.ts'
import { endSessionsOfAccount } from '../access/accounts/end-sessions-of-account.ts'
import { lockAccount } from '../access/accounts/lock-account.ts'
import { removeFactors } from '../access/accounts/remove-factors.ts'
import { startEmailChange } from '../access/sign-in/start-email-change.ts'
import { ApiError } from '../core/errors.ts'
import { normalizeEmail } from '../core/text/email.ts'
import type { Tables } from '../db/tables/tables.ts'
import { type Command, type Options, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

type Account = Tables['account']

interface How {
  /** The new e-mail address, normalised. */
  newEmail: string | undefined
  force: boolean
  endKeys: boolean
}

/** The action of each verb; it returns the sentence that the command prints. */
const VERBS: Record<string, (context: Context, account: Account, how: How) => Promise<string>> = {
  disable: async ({ database, trail }, account, how) =>
    (await database.tx((tx) => disableAccount(tx, trail, account, how)))
      ? `${account.email} is disabled and signed out; its open invitations are revoked. Tokens already handed out end within 5 s. API keys that it made ${how.endKeys ? 'are deleted' : 'stay'}.`
      : already(account, 'disabled'),
  enable: async ({ database, trail }, account) =>
    (await database.tx((tx) => enableAccount(tx, trail, account)))
      ? `${account.email} is active again.`
      : already(account, 'active'),
  'end-sessions': async ({ database, trail }, account) => {
    const count = (await database.tx((tx) => endSessionsOfAccount(tx, trail, account))) ?? 0
    return `${account.email} is signed out: ${count === 1 ? 'one session has' : `${count} sessions have`} ended, and every link that was mailed. Tokens already handed out end within 5 s.`
  },
  'remove-factors': async ({ database, outbox, trail }, { id, email }) => {
    const count = await database.tx(async (tx) => {
      await lockAccount(tx, id)
      return removeFactors(tx, outbox, trail, { id, email }, null)
    })
    if (count === 0) return `${email} has no second factor.`
    return `${email} has no second factor any more (${count} removed, with the recovery codes), and is signed out everywhere. The person is mailed.`
  },
  'change-email': async ({ config, database, vault, outbox, trail }, { id, email }, { newEmail = '' }) => {
    await database.tx((tx) => startEmailChange(tx, { config, vault, outbox }, trail, { id, to: newEmail }))
    return `${newEmail} is mailed a link, good for 24 hours. When the person confirms it, the account has that address and is signed out everywhere. ${email} is told, and may refuse.`
  },
  delete: async ({ database, publish, trail }, account, how) => {
    await database.tx((tx) => deleteAccount(tx, publish, trail, account, how))
    return `${account.email} is deleted. Invited again, it starts anew.`
  },
}

/** @throws Error unless the account already has the wanted status */
function already({ email, status }: Account, wanted: Account['status']): string {
  if (status !== wanted) throw new Error(`${email} has not signed up yet, so it cannot be made ${wanted}.`)
  return `${email} is ${wanted} already.`
}

/** `postern account`: shows and changes one account. */
export const account: Command = {
  about:
    'Disables, enables, signs out or deletes an account, removes its second factors, or begins a change of its address.',
  usage:
    'postern account --email ADDRESS (--disable | --enable | --end-sessions | --remove-factors | --change-email NEW | --delete) [--end-keys] [--force]',
  options: {
    email: { type: 'string', about: 'Address of the account.' },
    disable: {
      type: 'boolean',
      default: false,
      about: 'Ends its sessions, links and invitations, and refuses its sign-ins.',
    },
    enable: {
      type: 'boolean',
      default: false,
      about: 'Lets it sign in again; ended sessions, links and invitations stay ended.',
    },
    'end-sessions': {
      type: 'boolean',
      default: false,
      about: 'Ends its sessions and links; the person can sign in again.',
    },
    'remove-factors': {
      type: 'boolean',
      default: false,
      about: 'Removes its second factors, for a person who has lost them, and ends its sessions.',
    },
    'change-email': {
      type: 'string',
      about: 'Mails a link to this address, which becomes the address of the account when it is confirmed.',
    },
    delete: {
      type: 'boolean',
      default: false,
      about: 'Deletes it with its memberships; this cannot be undone.',
    },
    'end-keys': {
      type: 'boolean',
      default: false,
      about: 'Also deletes the API keys that it made or rotated, and those made with them.',
    },
    force: {
      type: 'boolean',
      default: false,
      about: 'Acts even if an organization loses its last administrator.',
    },
  },
  async run(terminal, options) {
    const email = normalizeEmail(String(options.email ?? ''))
    if (email === undefined) throw new UsageError('--email must be an e-mail address.')
    const verb = readVerb(options)
    const newEmail =
      options['change-email'] === undefined ? undefined : normalizeEmail(String(options['change-email']))
    if (options['change-email'] !== undefined && newEmail === undefined)
      throw new UsageError('--change-email must be an e-mail address.')
    return withStore(terminal, async (context) => {
      const known = await findAccount(context.database.db, email)
      if (known === undefined) {
        terminal.complain(`There is no account ${email}.`)
        return 1
      }
      try {
        const said = await verb(context, known, {
          newEmail,
          force: options.force === true,
          endKeys: options['end-keys'] === true,
        })
        terminal.print(said)
        const after = await findAccount(context.database.db, email)
        terminal.answer({ accountId: known.id, email, status: after?.status ?? 'deleted' })
        return 0
      } catch (error) {
        const refusal = newEmail === undefined ? undefined : whyNotChanged(error, email, newEmail)
        if (refusal !== undefined) {
          terminal.complain(refusal)
          return 1
        }
        if (reasonOf(error) === 'last_exception') {
          terminal.complain(lastException(email, error as ApiError))
          return 1
        }
        if (reasonOf(error) !== 'last_administrator') throw error
        terminal.complain(
          `${email} is the last administrator of an organization. Give the role to another member first, or add --force.`,
        )
        return 1
      }
    })
  },
}

function readVerb(options: Options): (typeof VERBS)[string] {
  const [verb, ...others] = Object.entries(VERBS).flatMap(([name, act]) =>
    options[name] === true || typeof options[name] === 'string' ? [act] : [],
  )
  if (verb === undefined || others.length > 0)
    throw new UsageError(
      'Exactly one of --disable, --enable, --end-sessions, --remove-factors, --change-email and --delete must be given.',
    )
  return verb
}

/** The sentence for a refused change of the e-mail address. */
function whyNotChanged(error: unknown, email: string, newEmail: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'DUPLICATE') return `${newEmail} has an account of its own.`
  if (error.code === 'FORBIDDEN') return `${email} is not active.`
  return error.code === 'VALIDATION_FAILED' ? `${email} is the address of the account already.` : undefined
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof ApiError ? (error.details as { reason?: string }).reason : undefined
}

/** The sentence for second factors or an administration that cannot be removed. */
function lastException(email: string, { details }: ApiError): string {
  const { organizationId = 'an organization' } = details as { organizationId?: string }
  return `${email} is the last exception from the required sign-in of ${organizationId}. Have it name another one, or end the demand first: PATCH /v1/operator/organizations/{id} with {"signInRequired": false}.`
}
