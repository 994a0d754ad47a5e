const MIB = 1024 * 1024

/** Limits of a file's content. They are counted while it is read, because declared sizes cannot be trusted. */
export const LIMITS = {
  /** Entries of a zip. */
  entries: 10_000,
  /** Decompressed bytes of a zip, all entries together. */
  inflated: 256 * MIB,
  /** Characters of an XML node, or of a CSV record. */
  node: MIB,
  cells: 2_000_000,
  /** Nested XML elements. */
  depth: 256,
  /** Nested HTML elements. The limit is higher, because HTML often lacks closing tags. */
  htmlDepth: 4_096,
  pages: 2_000,
} as const
