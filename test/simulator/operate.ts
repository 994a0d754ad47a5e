import type { Millis } from '#src/core/clock.ts'
import type { Power } from './power.ts'
import type { Dice, World } from './world.ts'

/** How well the disk and the network to it behave at the moment. */
export interface StoreWeather {
  /** Longest wait before and after an operation of the store. */
  latency: Millis
  /** Chance that an operation fails and was not done. */
  failure: number
  /** Chance that an operation was done and its answer is lost. */
  lostAnswer: number
}

interface OperateDeps {
  name: string
  world: World
  dice: Dice
  weather: StoreWeather
  power: Power
  isAlive: () => boolean
  /** Operations that write nothing to the disk. */
  reads: ReadonlySet<string>
}

/** A promise for a wait of a crashed process; a new one each time, so that the waiting code can be collected. */
export const never = () => new Promise<never>(() => {})

/** How a process of the world asks its store, and waits. */
export interface Operate {
  wait(delay: Millis): Promise<void>
  /** The value, while the process lives. */
  alive<T>(value: T): T | Promise<never>
  /**
   * Runs an operation of the store, which may wait, fail, or succeed and lose its answer. A crash or a power cut may come at each of
   * these points. Its effect is on the disk when it resolves.
   */
  operate<T>(operation: string, work: () => Promise<T>, waitsAfter?: boolean): Promise<T>
}

export function createOperate(deps: OperateDeps): Operate {
  const { name, world, dice, weather, power, isAlive, reads } = deps
  const wait = (delay: Millis) =>
    delay === 0 ? Promise.resolve() : new Promise<void>((resolve) => void world.after(delay, resolve))
  const alive = <T>(value: T): T | Promise<never> => (isAlive() ? value : never())
  return {
    wait,
    alive,
    async operate(operation, work, waitsAfter = true) {
      const { cuts } = power
      await wait(dice.between(0, weather.latency))
      await alive(undefined)
      if (!power.isOn || power.cuts > cuts || dice.chance(weather.failure)) {
        world.note(`${name} ${operation}: the store fails`)
        throw new Error(`${operation}: the store failed`)
      }
      const value = await work()
      if (!reads.has(operation)) power.flush()
      if (dice.chance(weather.lostAnswer)) {
        world.note(`${name} ${operation}: the answer is lost`)
        throw new Error(`${operation}: the answer was lost`)
      }
      if (waitsAfter) await wait(dice.between(0, weather.latency))
      await alive(undefined)
      if (power.cuts > cuts) throw new Error(`${operation}: the answer was lost with the power`)
      return value
    },
  }
}
