import { type Invitation, PosternError } from '#sdk/postern.ts'
import { MINUTE } from '../../app/clock.ts'
import { postern } from '../../app/data/postern.ts'

/** What became of one address. */
export interface Outcome {
  email: string
  invitation?: Invitation
  /** Why nothing did. */
  refusal?: string
}

export interface Wish {
  role: 'administrator' | 'member'
  days: number
  /** Whether a mail takes the link there, or whoever invites. */
  isMailed: boolean
}

/** As the API invites where nothing is said. */
export const USUAL_DAYS = 7
/** Few enough that one sees it go on. */
const AT_ONCE = 25
/** A refusal in passing, as too many requests, is waited out. */
const PATIENT = { maxRetries: 3, timeoutMs: MINUTE, deadlineMs: 5 * MINUTE }

/**
 * Invites one address after another, or many in one go where the API takes them so; each fails by itself.
 * @param tell is called as it goes on
 */
export async function sendInvitations(
  emails: readonly string[],
  wish: Wish,
  tell: (outcomes: Outcome[]) => void,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const size = wish.isMailed ? AT_ONCE : 1
  for (let at = 0; at < emails.length && !signal.aborted; at += size) {
    outcomes.push(...(await sendSome(emails.slice(at, at + size), wish)))
    tell([...outcomes])
  }
  return outcomes
}

async function sendSome(emails: readonly string[], { role, days, isMailed }: Wish): Promise<Outcome[]> {
  const [email = ''] = emails
  try {
    if (emails.length > 1) {
      const rows = emails.map((email) => ({ email, role }))
      const bulk = { invitations: rows, expiresInDays: days }
      const { results } = await postern.invitations.createBulk(bulk, PATIENT)
      return results.map(({ email, invitation, error }) =>
        invitation === undefined ? { email, refusal: refusalOf(error) } : { email, invitation },
      )
    }
    const body = { email, role, expiresInDays: days, sendEmail: isMailed }
    return [{ email, invitation: await postern.invitations.create(body, PATIENT) }]
  } catch (thrown) {
    if (!(thrown instanceof PosternError)) throw thrown
    // What is wrong with the address is said beside it; what is wrong with everything ends it.
    if (thrown.code !== 'DUPLICATE' && thrown.code !== 'INVALID_EMAIL' && thrown.code !== 'RATE_LIMITED')
      throw thrown
    return emails.map((email) => ({ email, refusal: refusalOf(thrown) }))
  }
}

const REFUSALS: Record<string, string> = {
  DUPLICATE: 'is already a member or has an open invitation',
  INVALID_EMAIL: 'is not an e-mail address',
  RATE_LIMITED: 'got too many mails for now',
}

function refusalOf(failure: (Pick<PosternError, 'message'> & { code: string }) | undefined): string {
  return REFUSALS[failure?.code ?? ''] ?? failure?.message ?? 'was not invited'
}
