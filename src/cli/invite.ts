import { holdRole } from '../access/accounts/given-role.ts'
import { type InvitedAnew, inviteAnew } from '../access/members/invite-anew.ts'
import type { Trail } from '../audit/audit.ts'
import { readConfig } from '../config/config.ts'
import { toIso } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Id } from '../core/id.ts'
import { normalizeEmail } from '../core/text/email.ts'
import { EXTERNAL_ID_RULE, isExternalId } from '../core/text/external-id.ts'
import type { Tx } from '../db/database.ts'
import { ROLES } from '../db/tables/tables.ts'
import type { RoleName } from '../http/permissions.ts'
import { createOrganization, readTaken } from '../organizations/organizations.ts'
import { findNearest } from './organization.ts'
import { shellWord } from './terminal/shell-word.ts'
import { type Command, type Options, UsageError } from './terminal/terminal.ts'
import { type Context, withStore } from './with-store.ts'

/** The options as read. */
interface Wish {
  organization: string
  email: string
  /** As typed: `administrator`, `member`, or the name or id of a role of the organization. */
  role: string
  /** undefined: the plan of the organization, or `DEFAULT_PLAN` for a new one. */
  plan: string | undefined
  /** undefined: the external id of the organization, or none for a new one. */
  externalId: string | undefined
}

/** `postern invite`: invites a person, the first administrator included (decisions: access). */
export const invite: Command = {
  about: 'Invites a person, makes the organization if it does not exist, and prints the link.',
  usage: 'postern invite --organization NAME --email ADDRESS [--role ROLE] [--plan PLAN] [--external-id ID]',
  options: {
    organization: { type: 'string', about: 'Name of the organization; it is made if it does not exist.' },
    email: {
      type: 'string',
      about: 'Address of the person. An earlier invitation of it is revoked with its link.',
    },
    role: {
      type: 'string',
      default: 'member',
      about: `${ROLES.join(', ')}, or the name or id of a role of the organization. Default: member.`,
    },
    plan: { type: 'string', about: 'Plan of a new organization. Default: DEFAULT_PLAN.' },
    'external-id': { type: 'string', about: 'Id of a new organization in your platform.' },
  },
  async run(terminal, options) {
    const wish = readWish(options, [...readConfig(terminal.env).plans.book.plans.keys()])
    const work = async (context: Context) => {
      const sendEmail = context.config.mail.smtpUrl !== undefined
      const { invitation, token, acceptUrl, isAnother, isFounded } = await inviteOnce(context, wish)
      const { id: invitationId, organization_id: organizationId } = invitation
      const meant = isFounded ? await findNearest(context.database.db, wish.organization) : undefined
      terminal.answer({
        organizationId,
        invitationId,
        acceptUrl,
        token,
        organizationCreated: isFounded,
        nearestOrganization: meant ?? null,
      })
      const until = toIso(invitation.expires_at)
      if (isFounded)
        terminal.print(`Made the organization "${wish.organization}": there was none of that name.`)
      if (meant !== undefined)
        terminal.complain(
          `There is "${meant}" already. If that was meant: npx postern organizations --delete ${shellWord(wish.organization)}, then invite again.`,
        )
      terminal.print(`Invited ${wish.email} to ${wish.organization} as ${wish.role}, until ${until}.`)
      if (URL.parse(acceptUrl)?.port === '0')
        terminal.complain(
          'The link has port 0, because no server was started here: start one, or set BASE_URL, then invite again.',
        )
      if (isAnother) terminal.print('The invitation before this one is revoked; its link is dead.')
      terminal.print(`\n  ${acceptUrl}\n`)
      terminal.print(
        sendEmail
          ? 'The running server mails this link as well. It is for this person alone.'
          : 'No SMTP_URL is set, so nothing was mailed: hand this link to the person yourself.',
      )
      return 0
    }
    return withStore(terminal, work, { begin: true })
  },
}

function readWish(options: Options, plans: string[]): Wish {
  const organization = String(options.organization ?? '').trim()
  const email = normalizeEmail(String(options.email ?? ''))
  const role = String(options.role ?? '').trim()
  const plan = plans.find((known) => known === options.plan)
  const externalId = options['external-id'] as string | undefined
  const problems = [
    organization === '' || organization.length > 100
      ? '--organization must be a name of 1 to 100 characters.'
      : undefined,
    email === undefined ? '--email must be an e-mail address.' : undefined,
    role === '' || role.length > 100
      ? `--role must be ${ROLES.join(', ')} or a role of the organization.`
      : undefined,
    options.plan !== undefined && plan === undefined
      ? `--plan must be one of ${plans.join(', ')}.`
      : undefined,
    externalId !== undefined && !isExternalId(externalId) ? EXTERNAL_ID_RULE : undefined,
  ].filter((problem) => problem !== undefined)
  if (email === undefined || problems.length > 0) throw new UsageError(problems.join('\n'))
  return { organization, email, role, plan, externalId }
}

interface Made extends InvitedAnew {
  /** Whether this command made the organization. */
  isFounded: boolean
}

async function inviteOnce(context: Context, wish: Wish): Promise<Made> {
  const { config, database, outbox, publish, trail } = context
  try {
    return await database.tx(async (tx) => {
      const { id: organizationId, isFounded } = await ensureOrganization(
        tx,
        { name: wish.organization, plan: wish.plan, externalId: wish.externalId },
        config.plans.default,
        trail,
      )
      const invited = await inviteAnew(tx, { appUrl: config.web.appUrl, outbox, publish }, trail, {
        organizationId,
        email: wish.email,
        role: await resolveRole(tx, organizationId, wish),
        sendEmail: config.mail.smtpUrl !== undefined,
      })
      return { ...invited, isFounded }
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'DUPLICATE') throw error
    throw new Error(`${wish.email} is a member of ${wish.organization} already.`)
  }
}

/** @throws UsageError where the organization has no such role */
async function resolveRole(
  tx: Tx,
  organizationId: Id<'organization'>,
  { role, organization }: Wish,
): Promise<RoleName> {
  const fixed = ROLES.find((known) => known === role)
  if (fixed !== undefined) return fixed
  const own = await tx
    .selectFrom('role')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .execute()
  const found = own.find(({ id }) => id === role) ?? own.find(({ name }) => name === role)
  if (found !== undefined) return (await holdRole(tx, organizationId, found.id)).name
  const names = [...ROLES, ...own.map(({ name }) => shellWord(name))].join(', ')
  throw new UsageError(`--role must be one of ${names}: ${organization} has no other.`)
}

/** @throws Error when the organization has another plan or external id than the options, or another organization has the id */
async function ensureOrganization(
  tx: Tx,
  { name, plan, externalId }: Pick<Wish, 'plan' | 'externalId'> & { name: string },
  defaultPlan: string,
  trail: Trail,
): Promise<{ id: Id<'organization'>; isFounded: boolean }> {
  const known = await tx
    .selectFrom('organization')
    .select(['id', 'plan', 'external_id'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (known !== undefined) {
    if (plan !== undefined && plan !== known.plan)
      throw new Error(
        `${name} has the plan ${known.plan}. Change it with: postern plan --organization ${shellWord(name)} --plan ${plan}`,
      )
    if (externalId !== undefined && externalId !== known.external_id)
      throw new Error(
        `${name} has ${known.external_id === null ? 'no external id' : `the external id ${known.external_id}`}. Change it with: postern organizations --identify ${shellWord(name)} --external-id ${shellWord(externalId)}`,
      )
    return { id: known.id, isFounded: false }
  }
  const id = await createOrganization(tx, trail, { name, plan: plan ?? defaultPlan, externalId })
  if (id === undefined) {
    const { field } = await readTaken(tx, { name, externalId })
    if (field === 'externalId')
      throw new Error(`There is an organization with the external id ${externalId} already.`)
    // A concurrent command has made the organization.
    return ensureOrganization(tx, { name, plan, externalId }, defaultPlan, trail)
  }
  return { id, isFounded: true }
}
