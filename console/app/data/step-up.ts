import { MINUTE } from '../clock.ts'
import { createStore } from '../store.ts'

/** Closes the dialog that asks for a second factor; `undefined` while no dialog is open. */
export const stepUp = createStore<((isShown: boolean) => void) | undefined>(undefined)

let asking: Promise<boolean> | undefined

/** Asks once for all requests that wait. */
function ask(): Promise<boolean> {
  asking ??= new Promise<boolean>((done) => stepUp.set(done)).finally(() => {
    asking = undefined
    stepUp.set(undefined)
  })
  return asking
}

/** As `send`, but a request that needs a recent second factor waits until the person has shown one, and is sent once more. */
export function withStepUp(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init)
    if (answer.status !== 403) return answer
    const text = await answer.text()
    // Without a method the person has to sign in again.
    const isAsked = text.includes('"step_up_required"') && !text.includes('"methods":[]')
    if (isAsked && (await ask())) return send(input, { ...init, signal: AbortSignal.timeout(MINUTE) })
    return new Response(text, answer)
  }
}
