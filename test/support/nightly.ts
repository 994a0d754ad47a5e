/**
 * `npm test` tries of what is random, or much of the same, as much as it has the time for; `npm run test:nightly` runs the same
 * tests over all of it.
 */
export const IS_NIGHTLY = process.env.POSTERN_TEST_NIGHTLY === 'yes'

/** @returns the one for `npm run test:nightly` there, the other for `npm test` */
export function nightly<T>(all: T, daily: T): T {
  return IS_NIGHTLY ? all : daily
}
