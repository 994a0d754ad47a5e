import { MINUTE } from '../clock.ts'
import { createStore } from '../store.ts'

/** A question for a second factor. */
export interface Asking {
  /** What the account can show: `totp`, `recovery_code`, `passkey`. */
  methods: readonly string[]
  /** Closes the dialog. */
  done: (isShown: boolean) => void
}

/** The dialog that asks for a second factor; `undefined` while no dialog is open. */
export const stepUp = createStore<Asking | undefined>(undefined)

let asking: Promise<boolean> | undefined

/** Asks once for all requests that wait. */
function ask(methods: readonly string[]): Promise<boolean> {
  asking ??= new Promise<boolean>((done) => stepUp.set({ methods, done })).finally(() => {
    asking = undefined
    stepUp.set(undefined)
  })
  return asking
}

/**
 * As `send`, but a request that needs a recent second factor waits until the person has shown one, and is sent once more.
 * @param lacking called when the server refuses what the role does not permit
 */
export function withStepUp(send: typeof fetch, lacking = () => {}): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init)
    if (answer.status !== 403) return answer
    const text = await answer.text()
    const { reason, methods = [] } = detailsOf(text)
    // Without a method the person has to sign in again.
    if (reason === 'step_up_required' && methods.length > 0 && (await ask(methods)))
      return send(input, { ...init, signal: AbortSignal.timeout(MINUTE) })
    if (reason === 'permission_required' || reason === 'administrator_required') lacking()
    return new Response(text, answer)
  }
}

/** The details of an error of the API; none where a proxy has answered. */
function detailsOf(text: string): { reason?: string; methods?: string[] } {
  try {
    return JSON.parse(text).error.details
  } catch {
    return {}
  }
}
