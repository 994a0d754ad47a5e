/**
 * Divides the rows of one commit among organizations by max–min fair shares: an organization that needs few gets all of them, and the
 * others share the remaining rows evenly.
 * @param wishes how many rows each needs
 */
export function shareRows<Who>(wishes: Map<Who, number>, rows: number): Map<Who, number> {
  const shares = new Map<Who, number>()
  let left = Math.max(0, rows)
  let others = wishes.size
  for (const [who, wish] of [...wishes].sort(([, a], [, b]) => a - b)) {
    const share = Math.min(wish, Math.floor(left / others))
    shares.set(who, share)
    left -= share
    others -= 1
  }
  return shares
}
