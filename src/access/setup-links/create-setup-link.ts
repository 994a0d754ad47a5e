import { audit, trailOf } from '../../audit/audit.ts'
import { DAY } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/id.ts'
import { readLanguage } from '../../core/language.ts'
import { LIFETIME } from '../../core/limits.ts'
import { hashToken, newToken } from '../../core/secret.ts'
import { normalizeEmail } from '../../core/text/email.ts'
import { noteChanges, type Tx } from '../../db/database.ts'
import { type Caller, callerOf } from '../../http/principal.ts'
import { mustStillHave } from '../../http/recheck-right.ts'
import { Type } from '../../http/schema/type.ts'
import { EmailSchema, LanguageSchema, NameSchema, strict } from '../../http/schema/validation.ts'
import type { Server } from '../../http/server.ts'
import { setupMail } from '../../mail/mail-templates.ts'
import { refuseBeyond } from '../../organizations/count-limit.ts'
import { DOMAINS_ALONE } from '../accounts/end-setup-links.ts'
import type { AccessDeps } from '../deps.ts'
import { mustBeAbleToVouch } from '../identity-providers/provider-settings.ts'
import { mustCover } from '../keys/giver-rights.ts'
import { limitMail } from '../members/invitation-create.ts'
import { countInvitation } from '../members/invitation-rate.ts'
import { DIRECTORY_KEY } from './setup-directory.ts'
import { PURPOSES, PurposesSchema, type SetupLink, SetupLinkSchema, toSetupLink } from './setup-link-wire.ts'

/** Most open links of an organization. */
const MOST_LINKS = 10

/** `POST /v1/setup-links`: a link by which a person without an account sets up the organization's sign-in. */
export function createSetupLinkRoutes(
  server: Server,
  { config, once, outbox, limiter }: Pick<AccessDeps, 'config' | 'once' | 'outbox' | 'limiter'>,
): void {
  const { appUrl, baseUrl } = config.web
  const { book } = config.plans

  server.post(
    '/v1/setup-links',
    {
      config: { access: 'sign_in:write', once: true },
      schema: {
        tags: ['Setup links'],
        operationId: 'createSetupLink',
        summary: 'Make a setup link',
        description: `A link lets the IT of the organization's company configure sign-in without an account. The first browser that opens the link is bound to it; the link is valid in no other browser. \`purposes\` limit what the link may do. \`domains\`: claim and verify domains. \`provider\`: add one identity provider and test it. An administrator enables the provider; with \`activates\`, the first successful test enables it. \`activates\` and \`createsMemberships\` need this purpose. \`directory\`: make one API key for SCIM. \`provider\` and \`directory\` need all permissions (\`all_permissions_required\`). A link shows no member, and shows no secret twice. A link ends with the permission of its maker. An organization has at most ${MOST_LINKS} open links.`,
        body: strict({
          name: NameSchema,
          purposes: PurposesSchema,
          email: Type.Optional(EmailSchema),
          language: Type.Optional(LanguageSchema),
          expiresInDays: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: LIFETIME.setupLink / DAY,
              default: LIFETIME.setupLinkUsual / DAY,
            }),
          ),
          activates: Type.Optional(Type.Boolean({ default: false })),
          createsMemberships: Type.Optional(Type.Boolean({ default: false })),
        }),
        response: { 201: SetupLinkSchema },
      },
    },
    async (request, reply) => {
      const { now, body } = request
      const caller = callerOf(request)
      const { organizationId, actorId } = caller
      for (const field of ['activates', 'createsMemberships'] as const)
        if (body[field] && !body.purposes.includes('provider'))
          throw new ApiError('VALIDATION_FAILED', { field, value: true, reason: 'no_provider_purpose' })
      const email = body.email === undefined ? null : (normalizeEmail(body.email) as string)
      const mayMail = async () => {
        if (email === null) return
        await countInvitation({ limiter, book }, caller, now)
        await limitMail(limiter, email, now)
      }
      const work = async (tx: Tx) => {
        const rows = tx
          .selectFrom('setup_link')
          .where('organization_id', '=', organizationId)
          .where('status', 'in', ['pending', 'opened'])
          .where('expires_at', '>', now)
        await refuseBeyond(tx, organizationId, { rows, most: MOST_LINKS, reason: 'too_many_setup_links' })
        const purposes = PURPOSES.filter((name) => body.purposes.includes(name)).join(' ')
        const { until } = await mustBeAbleToGive(tx, caller, purposes, now)
        const days = body.expiresInDays === undefined ? LIFETIME.setupLinkUsual : body.expiresInDays * DAY
        const token = newToken()
        const row: SetupLink = {
          ...{ id: newId('setupLink', now), organization_id: organizationId, name: body.name.trim() },
          ...{ email, language: readLanguage(body.language) ?? null, purposes },
          activates: body.activates ? 1 : 0,
          creates_memberships: body.createsMemberships ? 1 : 0,
          ...{ status: 'pending', token_hash: hashToken(token), cookie_hash: null },
          identity_provider_id: newId('identityProvider', now),
          ...{ provider_changed_at: null, test: null, api_key_id: null },
          ...{ created_by: actorId, key_id: caller.keyId, created_at: now },
          expires_at: Math.min(now + days, until ?? Number.POSITIVE_INFINITY),
          ...{ opened_at: null, ended_at: null },
        }
        await tx.insertInto('setup_link').values(row).execute()
        noteChanges(tx, 'setupLink', [row])
        await audit(tx, trailOf(request), {
          action: 'setup_link.created',
          ...{ organizationId, actorId, targetId: row.id },
          details: { name: row.name, purposes, email, activates: row.activates === 1 },
        })
        // Browsers send a fragment to no server, so it appears in no log and no referrer.
        const url = `${appUrl}/set-up#${token}`
        if (email !== null) await mail(tx, row, url)
        return {
          status: 201,
          body: { ...toSetupLink(row, now), ...(email === null && { url }) },
          headers: { location: `${baseUrl}/v1/setup-links/${row.id}` },
        }
      }
      return once(request, reply, work, mayMail)
    },
  )

  async function mail(tx: Tx, row: SetupLink, url: string): Promise<void> {
    const { name } = await tx
      .selectFrom('organization')
      .select('name')
      .where('id', '=', row.organization_id)
      .executeTakeFirstOrThrow()
    await outbox.queue(tx, row.created_at, {
      ...{ to: row.email ?? '', organizationId: row.organization_id, setupLinkId: row.id },
      usefulUntil: row.expires_at,
      language: readLanguage(row.language) ?? null,
      template: setupMail({
        ...{ organization: name, url },
        days: Math.max(1, Math.round((row.expires_at - row.created_at) / DAY)),
      }),
    })
  }
}

/** Checks that the caller has all permissions that the link gives. @throws ApiError FORBIDDEN */
async function mustBeAbleToGive(tx: Tx, caller: Caller, purposes: string, now: number) {
  if (purposes === DOMAINS_ALONE) return mustStillHave(tx, caller, 'sign_in:write', now)
  const giver = await mustBeAbleToVouch(tx, caller, now)
  if (purposes.includes('directory')) mustCover(giver, DIRECTORY_KEY)
  return giver
}
