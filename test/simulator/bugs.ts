/** Faults that a test plants to see that they are found. */
export const BUGS = [
  'no claim guard',
  'acknowledged before the commit',
  'no recovery',
  'replay in two commits',
  'replay of its own deliveries',
  'replay of what has recovered',
  'moments of a wrong clock',
  'older secrets forgotten',
  'never parked',
  'held though alone',
  'no share',
  'one share of names',
  'acknowledged before the flush',
  'claimed without the flush',
] as const

export type Bug = (typeof BUGS)[number]
