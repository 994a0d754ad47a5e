/**
 * Faults that a test plants to see that they are found, each with a seed that finds it: it is tried first. An engine that has
 * changed may need another one, which those that are tried after it then hold.
 */
export const BUGS = {
  'no claim guard': 304,
  'acknowledged before the commit': 301,
  'no recovery': 314,
  'replay in two commits': 734,
  'replay of its own deliveries': 304,
  'replay of what has recovered': 311,
  'moments of a wrong clock': 319,
  'older secrets forgotten': 309,
  'never parked': 303,
  'held though alone': 340,
  'no share': 350,
  'one share of names': 310,
  'acknowledged before the flush': 325,
  'claimed without the flush': 331,
  'claimed without owning': 305,
  'released before the drain': 320,
  'taken without the generation': 327,
} as const

export type Bug = keyof typeof BUGS
