const MIB = 1024 * 1024

/** Most that a file may hold, whatever it says of itself: all is counted while it is read. */
export const LIMITS = {
  /** Entries of a zip. */
  entries: 10_000,
  /** Bytes that come out of a zip, all entries together. */
  inflated: 256 * MIB,
  /** Characters of one XML node, or of one record of CSV. */
  node: MIB,
  cells: 2_000_000,
  /** XML elements within one another. */
  depth: 256,
  /** The same of HTML, where people forget to close them. */
  htmlDepth: 4_096,
  pages: 2_000,
} as const
