import { DAY, MINUTE, type Millis } from '#src/core/clock.ts'
import type { Process } from './process.ts'
import { newestOf, pairOf, sourcesOf } from './replays.ts'
import type { Disk, NewId, Webhook } from './store.ts'
import type { Dice, World } from './world.ts'

interface ChangesDeps {
  world: World
  dice: Dice
  disk: Disk
  newId: NewId
  processes: () => Process[]
}

/** What the owner of a webhook does with it. */
export interface Changes {
  /** Pauses, resumes or deletes it. */
  change(webhook: Webhook): void
  /** Gives it a new secret, which its receiver takes over some time before the old one ends. */
  rotate(webhook: Webhook): void
  /** Has deliveries of a while made again. */
  replay(webhook: Webhook): void
}

/** As long as a retired secret lives (specification 3). */
const OVERLAP = DAY
const MOST_RETIRED = 10
/** What replays make may be replayed; without a bound they would double it each time. */
const MOST_REPLAYS = 3

export function createChanges({ world, dice, disk, newId, processes }: ChangesDeps): Changes {
  let rotations = 0
  const rotated = new Map<string, Millis>()
  return {
    change(webhook) {
      if (webhook.status === 'deleted') return
      const next =
        webhook.status === 'active' ? dice.pick(['paused', 'paused', 'deleted'] as const) : 'active'
      world.note(`webhook ${webhook.id.slice(-6)} becomes ${next}`)
      if (next === 'active') webhook.resumedAt = world.now()
      webhook.status = next
      webhook.changedAt = world.now()
      if (next === 'deleted')
        for (const replay of disk.replays.values())
          if (replay.webhookId === webhook.id && replay.status === 'running') replay.status = 'cancelled'
      if (next === 'active' && dice.chance(0.5))
        for (const process of processes()) process.worker.wake(webhook.id)
    },

    rotate(webhook) {
      const now = world.now()
      const live = webhook.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      if (live.length > MOST_RETIRED) return
      rotations += 1
      const text = `whsec_${Buffer.from(`secret ${rotations}`).toString('base64')}`
      world.note(`webhook ${webhook.id.slice(-6)} gets secret ${rotations}`)
      webhook.secrets = [
        { text, expiresAt: null },
        ...webhook.secrets.map(({ text: old, expiresAt }) => ({
          text: old,
          expiresAt: expiresAt ?? now + OVERLAP,
        })),
      ]
      // A receiver does not take a new secret over in the same moment.
      rotated.set(webhook.id, world.elapsed())
      const takeOver = () => {
        if (world.elapsed() - (rotated.get(webhook.id) ?? 0) < MINUTE) world.after(MINUTE, takeOver)
        else webhook.held = webhook.secrets[0]?.text ?? webhook.held
      }
      world.after(dice.between(MINUTE, dice.pick([5 * MINUTE, OVERLAP - 10 * MINUTE])), takeOver)
    },

    replay(webhook) {
      if (webhook.status === 'deleted' || disk.replays.size >= MOST_REPLAYS) return
      const id = newId('replay', world.now())
      const isOfAll = dice.chance(0.15)
      const replay = {
        id,
        webhookId: isOfAll ? null : webhook.id,
        at: isOfAll ? ('' as const) : webhook.id,
        since: world.now() - dice.between(0, 4 * MINUTE),
        until: world.now(),
        filter: dice.pick(['failed', 'delivered', 'all', 'undelivered'] as const),
        status: 'running' as const,
        position: '',
        replayed: 0,
      }
      const newest = newestOf(disk.rows.values())
      const sources = sourcesOf(disk, replay).map(
        (row) => [row.id, newest.get(pairOf(row))?.id ?? row.id] as const,
      )
      disk.replays.set(id, { ...replay, sources: new Map(sources) })
      world.note(
        `${id.slice(-6)} asks for ${sources.length} deliveries to ${isOfAll ? 'all' : webhook.id.slice(-6)} again`,
      )
      if (dice.chance(0.5)) for (const process of processes()) process.worker.poll()
    },
  }
}
