/** A block of a Markdown text. `inline.ts` reads its `text`. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'table'; head: string[]; aligns: Align[]; rows: string[][] }
  | { kind: 'rule' }
  | { kind: 'paragraph'; text: string }

export type Align = 'left' | 'center' | 'right' | undefined

/** A block at the top of a text, with the lines that it was read from: while they are the same, so is the block. */
export interface TopBlock {
  raw: string
  /** The level of the heading before it, which its own headings follow. */
  above: number
  block: Block
}

/** Counts how many characters are looked at. */
export interface Counter {
  steps: number
}

/** A piece of the text of a block. */
export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'emphasis' | 'strong' | 'deleted'; inner: Inline[]; depth: number }
  | { kind: 'link'; href: string; inner: Inline[]; depth: number }
