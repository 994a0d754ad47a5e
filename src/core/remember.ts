import { credible, type Millis } from './clock.ts'

/**
 * Remembers what `load` brings for `lifetime`: who asks meanwhile, also while it is under way, gets the same.
 * A failure is told to those who wait for it and forgotten at once.
 */
export function remember<T>(lifetime: Millis, load: () => Promise<T>): (now: Millis) => Promise<T> {
  let known: { until: Millis; value: Promise<T> } | undefined
  return (now) => {
    if (known !== undefined && now < credible(known.until, now, lifetime)) return known.value
    const loading = { until: now + lifetime, value: load() }
    known = loading
    loading.value.catch(() => {
      if (known === loading) known = undefined
    })
    return loading.value
  }
}
