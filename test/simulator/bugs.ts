/**
 * Faults that a test plants to prove that the simulator finds them, each with a seed that finds it. That seed is tried first;
 * after a change of the engine one of the following seeds may find it instead.
 */
export const BUGS = {
  'no claim guard': 312,
  'acknowledged before the commit': 301,
  'no recovery': 302,
  'replay in two commits': 312,
  'replay of its own deliveries': 330,
  'replay of what has recovered': 319,
  'moments of a wrong clock': 344,
  'older secrets forgotten': 309,
  'never parked': 303,
  'held though alone': 340,
  'no share': 330,
  'one share of names': 310,
  'acknowledged before the flush': 314,
  'claimed without the flush': 350,
  'lanes not divided': 301,
  'divided anew before all agree': 329,
  'divided before the drain': 333,
  'fan-out in two commits': 312,
  'fan-out moved on before it is written': 312,
} as const

export type Bug = keyof typeof BUGS
