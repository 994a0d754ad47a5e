/**
 * Shares the rows of one commit out among those who have some to write: whoever asks for little gets all of it, and
 * what is left is divided evenly among the others.
 * @param wishes how many rows each asks for
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
