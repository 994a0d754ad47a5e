import type { Descriptions } from './descriptions.ts'

const FAILURE = {
  code: 'Code of the catalogue.',
  reason: 'The cause within the code, for programs; null where the code has only one.',
}
const SERVER = {
  name: 'Unique in the organization; the names of its tools begin with it.',
  url: 'The address of its MCP endpoint (Streamable HTTP).',
  connectionId: 'Connection whose token is sent to it, starting with `con_`; null: none.',
  required: 'Whether a run fails where this server cannot be reached.',
  toolCount: 'The number of tools in its last list.',
  lastFailure: 'Why the last request for its tools failed; null where it succeeded.',
  checkedAt: 'When its tools were last listed; null: never.',
}
const TOOL = {
  serverId: 'MCP server of the tool, starting with `mcp_`.',
  name: 'Name of the tool at its server.',
  approval: '`always`: each call waits for a decision. `never`: calls are made without one.',
  repeatable:
    'Whether a call is repeated after a crash left its outcome unknown. It is repeated only if the tool declares itself read-only or idempotent.',
  parallel: 'Whether its calls run in parallel with others of the same answer.',
  required: 'Whether a run fails where the server of the tool is not available.',
}
const AGENT = {
  name: 'The name of the agent.',
  instructions: 'Text that the model reads first in each of its calls.',
  model: 'A model of `GET /v1/models`.',
  knowledgeBaseIds: 'Knowledge bases that the agent searches; each id starts with `knb_`.',
  tools: 'Tools of MCP servers that the agent may call.',
  maxSteps: 'Calls of models and tools of one run, at most; calls of a model that failed do not count.',
  maxOutputTokens: 'Longest answer of one call of the model, in tokens.',
  onLength: 'The effect of an answer that reaches `maxOutputTokens`.',
  onModelFailure: 'The effect of a failed call of the model that may have been charged.',
  fallbackModel: 'The model that is used after the first one has failed; null: none.',
  timeoutMs: 'Longest time of a run in milliseconds; waiting for a person does not count.',
}
const RUN_ERROR = {
  code: FAILURE.code,
  message: 'The error, for people.',
  details: "The cause within the code, and the message of the model's provider.",
}
const BASE_NAME = 'Unique in the organization.'

/** Files, knowledge, agents and MCP. */
export const WORK_DESCRIPTIONS: Descriptions = {
  StoredFileError: FAILURE,
  StoredFile: {
    name: 'Name of the file, as it was uploaded.',
    sizeBytes: 'Size of the bytes as they are stored.',
    error: 'Why the last reading of its text failed; null where it succeeded.',
    processedAt: 'When the last reading of its text ended, also a failed one; null until then.',
  },
  FetchFileBody: { name: 'Name of the file. Default: the last part of the URL.' },
  UploadFileBody: {
    file: 'The bytes of the file.',
    name: 'Name of the file. Default: that of the part.',
  },
  KnowledgeBase: { name: BASE_NAME, documents: 'How many documents it holds.' },
  CreateKnowledgeBaseBody: { name: BASE_NAME },
  UpdateKnowledgeBaseBody: { name: BASE_NAME },
  DocumentError: FAILURE,
  Document: {
    name: 'The name of the document in answers and sources.',
    fileId: 'File that it was made of, starting with `fil_`; null for a text.',
    sha256: 'Digest of its text, in hex.',
    error: 'Why it was not indexed; null where it was.',
    chars: 'Length of its text in characters.',
    indexedAt: 'When it was last indexed; null until then.',
  },
  DocumentReplacement: {
    name: 'The new name of the document.',
    fileId: 'File that it is made of then; null for a text.',
    sha256: 'Digest of its bytes, in hex.',
  },
  DocumentChunk: {
    text: 'The passage.',
    location: 'Its position in the file or text.',
  },
  AddDocumentBody: {
    name: 'The name of the document. Default: the name of the file.',
  },
  SearchKnowledgeBaseBody: {
    query: 'The words to search for.',
    limit: 'Most passages that are answered.',
  },
  SearchKnowledgeBaseAnswer: { data: 'The passages, the best first.' },
  SearchKnowledgeBaseAnswerData: {
    documentName: 'Name of the document.',
    chunkId: 'Names the passage within its document.',
    text: 'The passage.',
    location: 'Its position in the file.',
  },
  McpServer: { ...SERVER, tools: 'Its accepted and its listed tools.' },
  McpServerItem: SERVER,
  McpServerLastFailure: { reason: 'Why: `timeout`, `unreachable`, `unauthorized` and others.' },
  McpServerTool: {
    name: 'Name of the tool at its server.',
    description: "The server's description of the tool. The text is not written by Postern.",
    inputSchema: 'The server’s JSON Schema of its arguments.',
    readOnly: 'Whether the server declares the tool read-only.',
    idempotent: 'Whether the server declares the tool idempotent.',
    digest: 'Digest of the definition; it changes when the definition changes.',
  },
  CallMcpBody: {
    jsonrpc: 'Always `2.0`.',
    id: 'Repeated in the answer; a notification has none.',
    method: 'Method of MCP, such as `tools/call`.',
    params: 'Parameters of the method.',
  },
  AgentTool: TOOL,
  CreateAgentBodyTool: TOOL,
  Agent: AGENT,
  AgentVersion: { ...AGENT, version: '1 for the first; each change makes the next.' },
  CreateAgentBody: AGENT,
  UpdateAgentBody: AGENT,
  ModelPrices: {
    inputPer1000: 'Credits for 1,000 tokens that the model reads.',
    outputPer1000: 'Credits for 1,000 tokens that the model writes.',
  },
  Model: { maxOutputTokens: 'Longest answer of one call, in tokens.', prices: 'The price of its tokens.' },
  RunErrorDetails: { reason: FAILURE.reason },
  RunError: RUN_ERROR,
  AgentRunCompletedEventDataError: RUN_ERROR,
  AgentRunCompletedEventDataErrorDetails: { reason: FAILURE.reason },
  AgentParameters: {
    temperature: 'Higher values make answers vary more.',
    topP: 'Only the likeliest tokens that together reach this probability are drawn.',
    frequencyPenalty: 'Positive values make tokens rarer the more often they were used.',
    presencePenalty: 'Positive values make tokens rarer once they were used.',
    seed: 'The same seed gives similar answers, where the provider supports it.',
    reasoningEffort: 'How much a model that reasons may think before it answers.',
    verbosity: 'How long answers are, where the model supports it.',
  },
  RunApproval: {
    tool: 'Tool that would be called.',
    serverId: 'MCP server of the tool, starting with `mcp_`; null for a tool of the platform.',
  },
  RunUsage: { inputTokens: 'Tokens that models read.', outputTokens: 'Tokens that models wrote.' },
  Run: {
    agentVersion: 'Version of the agent when the run was accepted.',
    conversationId: 'Conversation that it belongs to, starting with `cnv_`; null: none.',
    input: 'The input for the agent.',
    fileIds: 'Files whose text the agent reads; each id starts with `fil_`.',
    metadata: 'Your own data, stored with the run and sent with `agent.run.completed`.',
    output: 'The answer of the agent; null unless the run has succeeded.',
    error: 'Why it failed; null otherwise.',
    approval: 'The first call that waits for a decision; null without one.',
    steps: 'Number of its steps, decisions and steps under way included.',
    usage: 'Tokens of all its steps.',
    createdBy: 'Account or API key that started it.',
    startedAt: 'When it first left the queue; null until then.',
    endedAt: 'When it succeeded, failed or was cancelled; null until then.',
    durationMs:
      'Milliseconds from `startedAt` to `endedAt`, waits for decisions included; 0 where it never started, null until it has ended.',
  },
  StartRunBody: {
    input: 'The input for the agent.',
    fileIds: 'Files whose text the agent reads; each id starts with `fil_`.',
    metadata: 'Your own data, stored with the run and sent with `agent.run.completed`.',
  },
  DecideApprovalBody: {
    decision: 'The decision. It is valid once, for this call with these arguments.',
  },
  StepCall: {
    id: 'Id that the model gave the call.',
    name: 'Tool that the model called.',
    arguments: 'JSON, as the model wrote it.',
  },
  Step: {
    seq: 'Place in the run, from 1.',
    kind: 'A call of a model, a call of a tool, or a decision of a person.',
    serverId:
      'MCP server of the tool, starting with `mcp_`; null for a tool of the platform and for a call of a model.',
    callId:
      'The call in the answer of the model that this step makes, or for which it requires a decision; null for a call of a model.',
    calls: 'Tool calls of the model.',
    reason:
      'Why it failed, or why its outcome is unknown; of a decision, the reason that was given with it. Null otherwise.',
    tries:
      'How often it was started; more than once if a process ended during the step and the step may be repeated.',
    usage: 'Tokens of this step.',
    credits: 'Credits that it cost.',
    decidedBy:
      'Account or API key that approved or denied; null for other steps, and while the decision is open or has expired.',
    startedAt: 'When it was last started.',
    endedAt: 'When it ended; null until then.',
  },
  Conversation: { title: 'The title of the conversation; null without one.' },
  CreateConversationBody: { title: 'The title of the conversation.' },
  Message: { role: '`user` for a question, `assistant` for an answer of the agent.' },
  AgentRunCompletedEventData: {
    status: '`succeeded`, `failed` or `cancelled`.',
    durationMs: 'Milliseconds from the start of the run to its end; 0 where it never started.',
    output: 'The answer of the agent, cut at 65,536 characters; empty unless the run has succeeded.',
    metadata: 'The `metadata` of the request that started the run.',
    error: 'Why it failed; null otherwise.',
  },
  AgentRunWaitingEventData: { tool: 'Tool whose call waits for a decision.' },
  FileProcessedEventData: {
    name: 'Name of the file.',
    mediaType: 'Its kind, such as `application/pdf`.',
    sizeBytes: 'Its size in bytes.',
    status: '`processed` or `failed`.',
    durationMs: 'Milliseconds from the request for the reading to its end, its wait for a turn included.',
    error: 'Why it failed; null otherwise.',
  },
  FileProcessedEventDataError: FAILURE,
  DocumentIndexedEventDataError: FAILURE,
  WebhookReceivedEventData: {
    method: 'Method of the inbound call.',
    query: 'Parameters of its query.',
    headers: 'Its headers, without credentials.',
    contentType: 'Its `Content-Type`; null where it had none.',
  },
  WebhookDisabledEventData: { reason: 'Why the platform disabled the webhook.' },
  InvitationCreatedEventData: {
    email: 'Address that was invited.',
    role: 'Role that the person gets.',
    inviterId: 'Account or API key that invited; null for the command line of the server.',
  },
  InvitationAcceptedEventData: { email: 'Address that was invited.', role: 'Role that the person has now.' },
  MemberRoleChangedEventData: { from: 'Role until then.', to: 'Role from then on.' },
  McpServerChangedEventData: {
    name: 'Name of the server.',
    tools: 'Names of tools that are new or whose definition changed.',
  },
  ConnectionExpiredEventData: {
    provider: 'Name of the provider.',
    reason: 'Why the token could not be renewed.',
  },
  ConnectionRevokedEventData: { provider: 'Name of the provider.', reason: 'The answer of the provider.' },
  DocumentIndexedEventData: {
    name: 'Name of the document.',
    status: '`indexed` or `failed`.',
    durationMs: 'Milliseconds that indexing took.',
    error: 'Why it failed; null otherwise.',
  },
}
