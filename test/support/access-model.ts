import type { Millis } from '#src/core/clock.ts'

export type Purpose = 'confirmation' | 'reset' | 'magic'

/** A secret, and what the model knows about it. */
interface Secret {
  token: string
  expiresAt: Millis
}

interface Invitation extends Secret {
  id: string
  /** False when the link was handed to the inviter: it proves no mailbox. */
  mailed: boolean
}

/**
 * A model of the specification's rules of access for one address. It does not know how Postern stores
 * anything: the test compares each answer of the server with the model's.
 */
export class PersonModel {
  /** undefined: the address was never invited. */
  status: 'inactive' | 'active' | 'disabled' | undefined
  verified = false
  password: string | undefined
  readonly memberships = new Set<number>()
  readonly invitations = new Map<number, Invitation>()
  /** One of a purpose, but confirmations: each browser that signs up has its own. */
  readonly live = new Map<string, Secret & { password?: string }>()

  invite(organization: number, invitation: Invitation): void {
    this.status ??= 'inactive'
    this.invitations.set(organization, invitation)
  }

  mayInvite(organization: number, now: Millis): boolean {
    return !this.memberships.has(organization) && !this.#isLive(this.invitations.get(organization), now)
  }

  pending(now: Millis): [number, Invitation][] {
    return [...this.invitations].filter(([, invitation]) => this.#isLive(invitation, now))
  }

  /** Signing up with an invitation's token. @returns whether it is let in */
  signUp(token: string, password: string, now: Millis): boolean {
    const opened = this.pending(now).find(([, invitation]) => invitation.token === token)
    if (opened === undefined) return false
    const { mailed } = opened[1]
    const mayEnter = this.status === 'inactive' || (this.status === 'active' && mailed && !this.verified)
    if (!mayEnter) return false
    this.#activate(password, mailed)
    if (mailed) this.acceptAll(now)
    else this.#accept(opened[0])
    return true
  }

  /** Signing up without a token. @returns whether a confirmation is mailed */
  mayConfirm(now: Millis): boolean {
    return this.status === 'inactive' && this.pending(now).length > 0
  }

  isLive(purpose: Purpose, token: string, now: Millis): boolean {
    const secret = this.live.get(purpose === 'confirmation' ? nameOfConfirmation(token) : purpose)
    return secret?.token === token && this.#isLive(secret, now)
  }

  /** @param password what the browser shows that is not the one that signed up */
  confirm(token: string, password: string, now: Millis): boolean {
    const chosen = this.live.get(nameOfConfirmation(token))?.password
    if (!this.isLive('confirmation', token, now) || !this.mayConfirm(now) || password !== chosen) return false
    this.#activate(password, true)
    this.acceptAll(now)
    return true
  }

  signIn(password: string, now: Millis): boolean {
    if (this.status !== 'active' || this.password !== password) return false
    this.acceptAll(now)
    return true
  }

  reset(token: string, password: string, now: Millis): boolean {
    if (this.status !== 'active' || !this.isLive('reset', token, now)) return false
    this.password = password
    this.verified = true
    this.live.clear()
    return true
  }

  magicLink(token: string, now: Millis): boolean {
    if (!this.isLive('magic', token, now)) return false
    if (this.status !== 'active') return false
    this.live.delete('magic')
    if (!this.verified) this.password = undefined
    this.verified = true
    this.acceptAll(now)
    return true
  }

  /** A sign-in with a proven mailbox accepts all invitations that wait for it. */
  acceptAll(now: Millis): void {
    if (!this.verified) return
    for (const [organization] of this.pending(now)) this.#accept(organization)
  }

  #accept(organization: number): void {
    this.invitations.delete(organization)
    this.memberships.add(organization)
  }

  #activate(password: string, proven: boolean): void {
    this.status = 'active'
    this.password = password
    this.verified = proven
    this.live.clear()
  }

  #isLive(secret: Secret | undefined, now: Millis): boolean {
    return secret !== undefined && now < secret.expiresAt
  }
}

export function nameOfConfirmation(token: string): string {
  return `confirmation ${token}`
}
