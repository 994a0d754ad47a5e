import type { Millis } from '#src/core/clock.ts'
import type { Id } from '#src/core/id.ts'
import { serviceSignature } from '#src/delivery/attempt/signature.ts'
import { type Character, treat } from './destinations.ts'
import type { Call, Reply } from './network.ts'
import type { Process } from './process.ts'
import type { Report } from './simulate.ts'
import { type Disk, type Row, urlOf, type Webhook } from './store.ts'
import type { Watch } from './watch.ts'
import type { Dice, World } from './world.ts'

interface ReceptionDeps {
  world: World
  dice: Dice
  disk: Disk
  characters: Map<Id<'webhook'>, Character>
  watch: Watch
  report: Report
  /** When destinations that recover do. */
  healsAt: Millis
  broken: (message: string) => Error
}

/** All destinations, and their records of calls. */
export interface Reception {
  call(process: Process, call: Call): Reply
  /** Deliveries that a destination has taken in. */
  readonly taken: Set<Id<'delivery'>>
  /** The attempts of a process may be repeated. */
  pardon(process: Process): void
  /** A worker has freed a claim: its attempt may be repeated, unless its result waits in that process. */
  frees(processes: Process[], row: Row, claim: string, workerId: string): void
}

export function createReception(deps: ReceptionDeps): Reception {
  const { world, dice, disk, characters, watch, report, healsAt, broken } = deps
  const taken = new Set<Id<'delivery'>>()
  /** The process that made each attempt first. */
  const sentBy = new Map<string, string>()
  /** Attempts that may be repeated, because they were open when their process crashed or lost its lease. */
  const pardoned = new Set<string>()
  /** Attempts that were just refused for their signature and are repeated with an older secret. */
  const refused = new Map<string, Process>()
  const webhookOf = new Map<string, Webhook>()

  function find(url: string): Webhook | undefined {
    if (!webhookOf.has(url))
      for (const webhook of disk.webhooks.values()) webhookOf.set(urlOf(webhook.id), webhook)
    return webhookOf.get(url)
  }

  function starts(process: Process, row: Row, webhook: Webhook, attempt: string): void {
    report.sends += 1
    if (sentBy.has(attempt)) {
      report.duplicates += 1
      if (!pardoned.delete(attempt))
        broken(
          `${attempt} is sent by ${process.name} and was by ${sentBy.get(attempt)}, and nothing had crashed`,
        )
    }
    watch.starts(process, row, webhook, sentBy.has(attempt))
    sentBy.set(attempt, process.name)
  }

  /** Whether the signature of a call verifies with the one secret that the receiver holds. */
  function isGenuine(webhook: Webhook, { signature, body }: Call): boolean {
    if (signature === undefined) return true
    const signed = webhook.secrets.find(({ text }) => serviceSignature(text, body) === signature)
    if (signed === undefined || (signed.expiresAt !== null && signed.expiresAt <= world.now() - SLACK))
      broken(`${webhook.id} is called with a secret that is no more`)
    return signed === webhook.secrets.find(({ text }) => text === webhook.held)
  }

  return {
    taken,
    call(process, call) {
      const row = disk.rows.get(call.deliveryId as Id<'delivery'>)
      const webhook = find(call.url)
      if (row === undefined || webhook === undefined)
        throw broken(`${call.deliveryId} is sent, and is not on the disk`)
      const character = characters.get(webhook.id) as Character
      const attempt = `${row.id}/${call.attempt}`
      world.note(`${process.name} sends ${row.id.slice(-6)} to ${character}, attempt ${call.attempt}`)
      if (refused.get(attempt) === process) {
        refused.delete(attempt)
        report.resent += 1
      } else {
        starts(process, row, webhook, attempt)
      }
      const { result, after, isTaken } = isGenuine(webhook, call)
        ? treat(character, dice, world.now(), healsAt)
        : {
            result: { status: dice.pick([401, 403]), retryAfter: undefined },
            after: dice.between(1, 80),
            isTaken: false,
          }
      if (isTaken) taken.add(row.id)
      else if ('status' in result && [401, 403].includes(result.status)) refused.set(attempt, process)
      return { result, after }
    },
    pardon(process) {
      for (const name of process.open.keys()) pardoned.add(name)
    },
    frees(processes, row, claim, workerId) {
      const name = `${row.id}/${row.attempts + 1}`
      const isOwn = claim.split('.')[0] === workerId.split('.')[0]
      if (workerId === '') broken(`${name} is freed by a process that has no name`)
      for (const process of processes)
        if (process.open.has(name) && !(isOwn && process.answered.has(name))) pardoned.add(name)
    },
  }
}

/** How long an attempt may last after it has read the live secrets. */
const SLACK: Millis = 30_000
