import type { Holdings, Shard } from './shard.ts'

/** What one worker has to do so that all have an even part. */
export interface Plan {
  /** Free ones that it should take. */
  take: Shard[]
  /** Its own that it should give up, those that it is giving up already first among them. */
  give: Shard[]
}

/**
 * An even part for each worker: of S shards and N workers nobody has less than the whole part of S / N nor more than one
 * above it. Who has more than the others now keeps the one above, so that nothing moves that need not. Every worker comes to
 * the same by itself from what it sees; where one sees what is over, the generations refuse what it does with that.
 * @param giving the numbers of what `self` is giving up already
 */
export function rebalance(self: string, { shards, peers }: Holdings, giving: ReadonlySet<number>): Plan {
  const present = new Set(peers.map(({ id }) => id))
  const free = shards.filter(({ owner }) => owner === null || !present.has(owner))
  const own = shards.filter(({ owner }) => owner === self)
  const entitled = peers.filter(({ isEntitled }) => isEntitled).map(({ id }) => id)
  entitled.sort()
  const place = entitled.indexOf(self)
  if (place < 0) return { take: [], give: own }

  const counts = new Map(entitled.map((id) => [id, 0]))
  for (const { owner } of shards)
    if (owner !== null && counts.has(owner)) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const byCount = entitled.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const above = shards.length % entitled.length
  const part = Math.floor(shards.length / entitled.length) + (byCount.indexOf(self) < above ? 1 : 0)
  if (own.length > part) {
    const first = own.toSorted((a, b) => Number(giving.has(b.number)) - Number(giving.has(a.number)))
    return { take: [], give: first.slice(0, own.length - part) }
  }
  // Each begins at another place, so that those who come together seldom want the same ones.
  const start = Math.floor((place * free.length) / entitled.length)
  const turned = [...free.slice(start), ...free.slice(0, start)]
  return { take: turned.slice(0, part - own.length), give: [] }
}
