import { MINUTE, type Millis } from '../../core/clock.ts'
import type { ToolCall, ToolOutcome } from '../tools/tool.ts'
import { attempt } from './client/attempt.ts'
import { ServerFailure } from './client/failures.ts'
import { toText } from './client/result-text.ts'
import type { ServerDeps } from './deps.ts'
import type { ServerRow } from './server-wire.ts'
import { targetOf } from './target.ts'

/** One call, from the look-up of the name to the last byte, unless the run ends before. */
const CALL_DEADLINE: Millis = 2 * MINUTE

/** Calls a tool, once: what became of a call that was sent and not answered is not known, and it is not made anew here. */
export async function callTool(
  deps: ServerDeps,
  row: ServerRow,
  name: string,
  args: Record<string, unknown>,
  { stepId, signal, deadline }: ToolCall,
): Promise<ToolOutcome> {
  let isSent = false
  try {
    const target = await targetOf(deps, row)
    const patience = { deadline: Math.min(CALL_DEADLINE, Math.max(0, deadline - deps.clock.now())), signal }
    // For servers that honour one: a call that is repeated has the same.
    const keyed = { ...target, headers: { ...target.headers, 'idempotency-key': stepId } }
    const result = await attempt(deps, keyed, patience, (client, options) => {
      isSent = true
      const params = { name, arguments: args, _meta: { 'io.postern/stepId': stepId } }
      return client.callTool(params, options)
    })
    const text = toText(result)
    return result.isError === true
      ? { status: 'failed', text, reason: 'tool_error' }
      : { status: 'succeeded', text }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    const { reason, mayHaveActed } = error
    if (isSent && mayHaveActed) return { status: 'unknown', reason }
    const said = reason === 'protocol_error' ? `: ${(error.cause as Error).message.slice(0, 1_000)}` : ''
    return { status: 'failed', text: `The tool could not be called (${reason})${said}.`, reason }
  }
}
