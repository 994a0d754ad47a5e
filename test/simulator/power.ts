import { type Millis, SECOND } from '#src/core/clock.ts'
import type { Dice, World } from './world.ts'

/** A commit that did not wait for the disk reaches it after this long. */
const LATE: Millis = SECOND
/** The store is away for so long at most: less than any lease. */
const LONGEST_AWAY: Millis = 5 * SECOND

/** What the disk keeps of the commits when the power of the store fails. */
export interface Power {
  /** The number of cuts; operations under way at a cut get no answer. */
  readonly cuts: number
  /** Whether the store is there. */
  readonly isOn: boolean
  /** A commit that waits for the disk: with it, all before it are there. */
  flush(): void
  /** A commit was made from which others draw conclusions: just the moment for the power to fail. */
  tempt(): void
  /** From here on it does not fail. */
  steady(): void
  /** A commit that does not; `undo` takes it back. */
  relax(undo: () => void): void
}

/** Chance that it fails soon after such a commit, and how soon. */
const CHANCE = 0.03
const SOON: Millis = 200

/**
 * Cuts the power of the store, which comes back a moment later with the state of the disk. On SQLite the processes crash with it
 * (`onCut`). On PostgreSQL they live on, and must not rely on a state that the disk does not have.
 */
export function createPower(world: World, dice: Dice, onCut: () => void): Power {
  let isUnsteady = dice.chance(0.3)
  let undos: (() => void)[] = []
  let [cuts, away] = [0, 0]

  function flush(): void {
    undos = []
  }

  function cut(): void {
    if (!isUnsteady) return
    cuts += 1
    away += 1
    world.note(`the power fails; ${undos.length} commits were not on the disk`)
    for (const undo of undos.reverse()) undo()
    flush()
    world.after(dice.between(0, LONGEST_AWAY), () => {
      away -= 1
    })
    onCut()
  }

  return {
    get cuts() {
      return cuts
    },
    get isOn() {
      return away === 0
    },
    flush,
    relax(undo) {
      undos.push(undo)
      world.after(LATE, () => {
        undos = undos.filter((other) => other !== undo)
      })
    },
    tempt() {
      if (isUnsteady && dice.chance(CHANCE)) world.after(dice.between(0, SOON), cut)
    },
    steady() {
      isUnsteady = false
    },
  }
}
