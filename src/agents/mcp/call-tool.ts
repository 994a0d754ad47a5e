import { MINUTE, type Millis } from '../../core/clock.ts'
import type { MakeCall, ToolCall, ToolOutcome } from '../tools/tool.ts'
import { INPUT_REQUIRED, ServerFailure } from './client/failures.ts'
import { toText } from './client/result-text.ts'
import type { Session, Target } from './client/session.ts'
import type { ToolDefinition } from './client/tool-definitions.ts'
import type { ServerDeps } from './deps.ts'
import type { RunServer } from './run-server.ts'
import { targetOf } from './target.ts'

/** One call, from name resolution to the last byte, unless the run ends before. */
const CALL_DEADLINE: Millis = 2 * MINUTE

/** Reads the current server, credentials and acceptance of a tool, for one call. */
export async function prepareCall(
  deps: ServerDeps,
  server: RunServer,
  definition: ToolDefinition,
): Promise<MakeCall> {
  const row = await server.current()
  if (row === undefined) return refuse('deleted')
  if (!server.isOn(definition)) return refuse('changed')
  try {
    const target = await targetOf(deps, row)
    return (args, call) => callTool(deps, server.session, target, definition, args, call)
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    return async () => failed(error)
  }
}

/** The outcome of a call that is not made. */
export const refuse = (reason: string) => async (): Promise<ToolOutcome> => ({
  ...{ status: 'failed', text: `The server of this tool is unavailable: ${reason}.`, reason },
})

/** Calls a tool once. A call that was sent and not answered has an unknown outcome, and is not repeated here. */
async function callTool(
  { clock }: Pick<ServerDeps, 'clock'>,
  session: Session,
  target: Target,
  { name, inputSchema }: ToolDefinition,
  args: Record<string, unknown>,
  { stepId, signal, deadline }: ToolCall,
): Promise<ToolOutcome> {
  let isSent = false
  // The idempotency key, which repeated calls share.
  const headers = { 'idempotency-key': stepId }
  const patience = { deadline: Math.min(CALL_DEADLINE, Math.max(0, deadline - clock.now())), signal, headers }
  // The listing defines which arguments are also sent as headers; it is not read again for a call.
  const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } }
  try {
    const result = await session.use(target, patience, (client, options) => {
      isSent = true
      const params = { name, arguments: args, _meta: { 'io.postern/stepId': stepId } }
      return client.callTool(params, { ...options, toolDefinition })
    })
    const text = toText(result)
    return result.isError === true
      ? { status: 'failed', text, reason: 'tool_error' }
      : { status: 'succeeded', text }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    const { reason, mayHaveActed } = error
    return isSent && mayHaveActed ? { status: 'unknown', reason } : failed(error)
  }
}

const ASKS =
  'The tool asks a person for something more, which cannot be passed on: it has done nothing. Say all that it needs in the arguments, or go on without it.'

function failed({ reason, cause }: ServerFailure): ToolOutcome {
  if (reason === INPUT_REQUIRED) return { status: 'failed', text: ASKS, reason }
  const said = reason === 'protocol_error' ? `: ${(cause as Error).message.slice(0, 1_000)}` : ''
  return { status: 'failed', text: `The tool could not be called (${reason})${said}.`, reason }
}
