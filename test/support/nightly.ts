/**
 * `npm test` tries a part of random or numerous cases, as time allows; `npm run test:nightly` runs the same tests over all of
 * them.
 */
export const IS_NIGHTLY = process.env.POSTERN_TEST_NIGHTLY === 'yes'

/** @returns the one for `npm run test:nightly` there, the other for `npm test` */
export function nightly<T>(all: T, daily: T): T {
  return IS_NIGHTLY ? all : daily
}
