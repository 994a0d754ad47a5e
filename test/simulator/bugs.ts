/**
 * Faults that a test plants to see that they are found, each with a seed that finds it: it is tried first. An engine that has
 * changed may need another one, which those that are tried after it then hold.
 */
export const BUGS = {
  'no claim guard': 301,
  'acknowledged before the commit': 301,
  'no recovery': 314,
  'replay in two commits': 689,
  'replay of its own deliveries': 347,
  'replay of what has recovered': 359,
  'moments of a wrong clock': 338,
  'older secrets forgotten': 309,
  'never parked': 303,
  'held though alone': 320,
  'no share': 350,
  'one share of names': 310,
  'acknowledged before the flush': 317,
  'claimed without the flush': 301,
  'claimed without owning': 301,
  'released before the drain': 374,
  'taken without the generation': 311,
} as const

export type Bug = keyof typeof BUGS
