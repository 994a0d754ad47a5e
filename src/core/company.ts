import type { Millis } from './clock.ts'

/** Where so many wait for the next commit already, more come at any moment. */
export const CROWD = 4
/** Then that commit waits so long for more to share it: less than it takes. Whoever comes alone waits for nothing. */
export const COMPANY: Millis = 1
