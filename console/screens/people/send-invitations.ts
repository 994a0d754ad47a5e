import { PosternError } from '#sdk/errors.ts'
import type { Invitation } from '#sdk/postern.ts'
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
  /** `administrator`, `member`, or the id of a role of the organization. */
  role: string
  days: number
  /** Whether the link is mailed, or handed over by the inviter. */
  isMailed: boolean
}

/** The defaults of the API. */
export const USUAL_DAYS = 7
/** Invitations of one request: few enough that the progress is visible. */
const AT_ONCE = 25
/** A refusal in passing, as too many requests, is waited out. */
const PATIENT = { maxRetries: 3, timeoutMs: MINUTE, deadlineMs: 5 * MINUTE }

/**
 * Invites addresses in requests of several where the API allows that, else one by one. Each address fails by itself.
 * @param tell is called with the progress
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
    // An error of one address is shown beside it; any other error ends the sending.
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
