/** Faults that a test plants to see that they are found, each with a seed that finds it: it is tried first. */
export const JOB_BUGS = {
  'begun not written before it begins': 1,
  'settled without its claim': 7,
  'no recovery': 1,
} as const

export type JobBug = keyof typeof JOB_BUGS
